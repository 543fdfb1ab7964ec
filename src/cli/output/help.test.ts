import { expect, test } from 'vitest'
import about from '../../../package.json' with { type: 'json' }
import { CATALOGUE } from '../../protocol/catalogue.ts'
import { timewarp } from '../testing.ts'
import { COMMANDS, VERBS } from '../verbs.ts'

test('without a command there is an overview of all commands by group', async () => {
  const { screen, opened } = await timewarp([])
  expect(screen).toMatchInlineSnapshot(`
    "Timewarp: the time machine of a workspace in which agents and people work together

    Usage: timewarp [-C DIR] [--home DIR] [--json] [--no-daemon] COMMAND …

    Start here:
      up    Start Timewarp in a folder: workspace, first snapshot, and what to do next
      oops  Show what the last prompt or disaster did, and take it back
      demo  Lose a whole project and get it back, in a scratch folder

    Timeline:
      snapshot     Capture the present state of the workspace
      status       Tell the state of the workspace: what changed, what is not captured
      log          List snapshots, the newest first
      changes      Give what one snapshot changed, as a diff against its base
      show         Tell everything about one snapshot
      diff         Compare two snapshots, or a snapshot and the present
      history      List the versions of one file
      cat          Give the bytes of a file as a snapshot has them
      blame        Tell for each line of a file which snapshot wrote it, and who
      export       Write snapshots as git commits on a new branch, one per prompt
      restore      Bring the workspace, or some paths of it, back to a snapshot
      undo         Take back the newest act or captured change
      redo         Do again what undo took back
      materialise  Write a snapshot into another, empty folder
      pin          Keep a snapshot for ever
      label        Name a snapshot, or take its name away

    Edits and milestones:
      revert             Take back some changes and leave everything done since
      edit               Replace a piece of text in a file
      write              Write a file as a whole, whether it exists or not
      edit-lines         Replace some lines of a file, or insert lines
      patch              Apply a diff of one or more files
      rm                 Delete a file, or a folder with everything in it
      mkdir              Make a folder
      mv                 Move a file or a folder to another path
      apply_edits        Make several edits, all of them or none
      milestone          Name a piece of work: some snapshots that belong together
      milestones         List milestones, the oldest first
      show-milestone     Tell everything about one milestone, with its combined diff
      tag-milestone      Give a milestone tags, or take tags away
      detect-milestones  Propose milestones where a piece of work seems to end
      delete-milestone   Remove a milestone; retention decides about its snapshots again

    Travel and friction issues:
      session-start    Begin a session: capture the workspace, so that its friction issues have a moment to go back to
      issue            Note a friction without stopping: what was to be done, what went wrong, how success will be known
      issues           List friction issues, the one to look at first on top
      show-issue       Tell everything about one friction issue, with the paths of its files
      update-issue     Say where a friction issue stands, or tell more about it
      travel           Go back to a snapshot or to the moment of an issue; the present is kept, whole, to come home to
      return           Come home from the past: what was done there is kept as a snapshot, the present comes back as it was
      acknowledge      Say that you have seen how the present differs from what it was before the journey
      experiment-note  Write a round of an experiment into experiment.md
      experiment-run   Run a command in the past and in the present, and write both results down
      replay           Do in the present what was done in the past, merged into what has changed since
      experiments      List journeys into the past, the oldest first

    Store:
      unpin   Let retention decide about a snapshot again
      prune   Remove snapshots that the retention policy no longer keeps
      gc      Free the space of what no snapshot needs, and merge small packs
      fsck    Read everything back and name what is damaged
      stats   Tell what the store holds, by workspace
      forget  Purge the contents of a path from all snapshots and packs
      mirror  Copy the store to another disk, or bring it back from there

    Agents and guards:
      guard         Let a coding agent or a shell report to the timeline; judge what a command may change
      statusline    Print one line for an agent’s status line: what is kept, what was missed, how to take it back
      sessions      List the sessions of agents and what they were asked, the newest first
      rewind        Bring the files back to the moment before a prompt, and tell how to do the same with the conversation
      record-event  Take down what an agent begins or has done, and capture what it changed
      git-keep      Keep the state of git: refs, stashes, index, and the commits no remote has
      git-rescue    List the kept states of git and what is lost since, or bring one back
      guard-judge   Tell what a shell command may change, without running it
      shell-event   Take down what a person’s shell is about to run, or has run

    Workspaces and settings:
      init        Make a folder a workspace and take its first snapshot
      config      Show the settings in force, or change one
      trust       Accept the settings that a workspace brings along
      workspaces  List the workspaces of this store
      uninstall   Remove what Timewarp installed; the store only if asked

    For shells and programs:
      tools       List the tools with their inputs, outputs and faults
      call        Call a tool with JSON, and get JSON
      hook        Take a hook of a coding agent from standard input; what installed guards call
      redact      Copy standard input to standard output without its secrets
      daemon      Start, stop or look at the background process that makes captures quick
      mcp         Serve an agent: the tools over the model context protocol, on standard input and output
      completion  Print a script that lets a shell complete the commands
      help        Tell what the commands are, or how to use one

    Flags of every command:
      -C DIR       The workspace: a folder in it, or its id (default: the current folder)
      --home DIR   Where the store is (default: $TIMEWARP_HOME, or ~/.timewarp)
      --json       Print one JSON document and nothing else
      --no-daemon  Do the work in this process, as TIMEWARP_DAEMON=off does
      -h, --help   Tell how to use a command
      --version    Tell which Timewarp this is

    Paths that you type start in the current folder, or in that of -C. Paths that are printed start at the root of the workspace.

    More about one command: timewarp help COMMAND
    [exit 0]"
  `)
  expect(opened).toEqual([])
})

test('--help, -h and help give the same', async () => {
  const { out } = await timewarp([])
  for (const argv of [['--help'], ['-h'], ['help'], ['-C', '/x', '--help']])
    expect((await timewarp(argv)).out).toBe(out)
})

test('the help of a command tells its words, its flags with defaults, and examples', async () => {
  expect((await timewarp(['help', 'diff'])).screen).toMatchInlineSnapshot(`
    "Compare two snapshots, or a snapshot and the present

    Usage: timewarp diff FROM [TO] [-- PATH…] [FLAGS]

    Words:
      FROM   The older snapshot
      TO     The newer snapshot; left out: the present
      PATH…  Only these paths or folders (can be repeated)

    Flags:
      --format unified|git|context|json  How the diff is written (default: unified)
      --name-only                        List the files without their contents
      --session-id TEXT                  The session on whose behalf this is done

    Flags of every command:
      -C DIR       The workspace: a folder in it, or its id (default: the current folder)
      --home DIR   Where the store is (default: $TIMEWARP_HOME, or ~/.timewarp)
      --json       Print one JSON document and nothing else
      --no-daemon  Do the work in this process, as TIMEWARP_DAEMON=off does
      -h, --help   Tell how to use a command
      --version    Tell which Timewarp this is

    Examples:
      timewarp diff s_20260228_153012_ab12cd
      timewarp diff ID1 ID2 --format git -- src

    Paths that you type start in the current folder, or in that of -C. Paths that are printed start at the root of the workspace.

    As a tool: timewarp call diff '{…}'
    [exit 0]"
  `)
})

test('the help of a command can be had in any way, with or without its words', async () => {
  const { out } = await timewarp(['help', 'restore'])
  for (const argv of [
    ['restore', '--help'],
    ['restore', 'ID', '-h'],
    ['-h', 'restore'],
  ])
    expect((await timewarp(argv)).out).toBe(out)
})

test('defaults that are on, long choices and short flags are shown', async () => {
  expect((await timewarp(['prune', '-h'])).out).toContain(
    '--[no-]gc          Free the disk space afterwards (default: on)',
  )
  expect((await timewarp(['snapshot', '-h'])).out).toContain('-m, --label TEXT')
  expect((await timewarp(['snapshot', '-h'])).out).toMatch(
    /--source TEXT .*\(one of scheduled, .*\) \(default: manual\)/,
  )
  expect((await timewarp(['log', '-h'])).out).toContain('-n, --limit N       How many (default: 20)')
})

test('commands that are no tool have help as well', async () => {
  expect((await timewarp(['call', '-h'])).screen).toMatchInlineSnapshot(`
    "{"help":"Call a tool with JSON, and get JSON\\n\\nUsage: timewarp call NAME [INPUT]\\n\\nWords:\\n  NAME   The tool; timewarp tools lists them\\n  INPUT  Its input, a JSON object; - reads it from standard input (default: {})\\n\\nFlags of every command:\\n  -C DIR       The workspace: a folder in it, or its id (default: the current folder)\\n  --home DIR   Where the store is (default: $TIMEWARP_HOME, or ~/.timewarp)\\n  --json       Print one JSON document and nothing else\\n  --no-daemon  Do the work in this process, as TIMEWARP_DAEMON=off does\\n  -h, --help   Tell how to use a command\\n  --version    Tell which Timewarp this is\\n\\nExamples:\\n  timewarp call status\\n  timewarp call snapshot '{\\"label\\":\\"before\\"}'\\n  timewarp call restore - < in.json"}
    [exit 0]"
  `)
  for (const verb of VERBS) expect((await timewarp([verb, '--help'])).code).toBe(0)
})

test('help for an unknown command is a fault that names the nearest one', async () => {
  expect((await timewarp(['help', 'restoer'])).screen).toMatchInlineSnapshot(`
    "------- stderr -------
    Error: There is no command "restoer".
    Hint: Did you mean: timewarp restore
    [exit 2]"
  `)
})

test('help with --json is one document', async () => {
  expect(Object.keys(JSON.parse((await timewarp(['help', 'log', '--json'])).out))).toEqual(['help'])
})

test('--version tells the version, with --json as a document', async () => {
  expect((await timewarp(['--version'])).out).toBe(`timewarp ${about.version}\n`)
  expect((await timewarp(['log', '--version'])).out).toBe(`timewarp ${about.version}\n`)
  expect(JSON.parse((await timewarp(['--version', '--json'])).out)).toEqual({ version: about.version })
})

test('no word means two things', () => {
  const verbs = CATALOGUE.map(({ verb }) => verb)
  expect(new Set(verbs).size).toBe(verbs.length)
  expect(verbs.filter((verb) => COMMANDS.has(verb))).toEqual(['redact'])
  for (const { tool, verb } of CATALOGUE) expect([...COMMANDS.keys()].includes(tool) && verb !== tool).toBe(false)
})
