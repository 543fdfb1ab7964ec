import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/**
 * Writes docs/session.svg, the picture in the README: a terminal in which the real program has run. With --check it writes
 * nothing and exits 1 when the committed picture differs. Ids are replaced by a fixed one, so the same program gives the
 * same bytes.
 */

const ROOT = resolve(import.meta.dirname, '..')
export const PICTURE = join(ROOT, 'docs/session.svg')

const FILES = {
  'README.md': '# Shop\n',
  '.env': 'PAYMENT_KEY=only-on-this-disk\n',
  'src/price.ts': 'export const price = (apples: number) => apples * 3\n',
  'src/shop.ts': "import { price } from './price.ts'\n\nconsole.log(price(4))\n",
}

type Line = readonly [kind: 'command' | 'output' | 'comment', text: string]

/** An agent edits a file and deletes too much; one command takes its prompt back. */
export function session(): readonly Line[] {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-picture-'))
  const project = join(dir, 'shop')
  const env = { ...process.env, HOME: dir, TIMEWARP_HOME: join(dir, 'home'), TIMEWARP_DAEMON: 'off' }
  const timewarp = (args: readonly string[], input = ''): string => {
    const ran = spawnSync(join(ROOT, 'bin/timewarp'), args, { cwd: project, env, input, encoding: 'utf8' })
    if (ran.status !== 0) throw new Error(`timewarp ${args.join(' ')}: ${ran.stderr}`)
    return ran.stdout.replace(/\bs_\d{8}_\d{6}_\w{6}\b/g, 's_20260228_153012_ab12cd')
  }
  const report = (event: string, more: object): void => {
    const call = { event, session_id: 'session', workspace: project, client: 'claude', ...more }
    timewarp(['hook', 'generic'], JSON.stringify(call))
  }
  const during = (call: object, act: () => void): void => {
    report('call_start', call)
    act()
    report('call_end', call)
  }
  const show = (program: string, ...args: string[]): Line[] =>
    lines(
      spawnSync(program, args, { cwd: project, env: { ...env, LC_ALL: 'C', COLUMNS: '80' }, encoding: 'utf8' }).stdout,
    )
  try {
    for (const [path, text] of Object.entries(FILES)) write(join(project, path), text)
    timewarp(['init'])
    report('session_start', {})
    report('prompt', { prompt_id: 'prompt', prompt: 'Add a discount, then clean up the build files.' })
    during({ call_id: '1', tool: 'Edit', kind: 'edit', paths: ['src/price.ts'] }, () =>
      write(join(project, 'src/price.ts'), 'export const price = (apples: number) => apples * 2\n'),
    )
    during({ call_id: '2', tool: 'Bash', kind: 'shell', command: 'rm -rf src .env' }, () => {
      for (const name of ['src', '.env']) rmSync(join(project, name), { recursive: true })
    })
    return [
      ['comment', '# An agent was asked for a discount. It edited one file, then cleaned up too much.'],
      ['command', 'ls'],
      ...show('ls', '-C'),
      ['command', 'timewarp oops --yes'],
      ...lines(timewarp(['oops', '--yes'])),
      ['command', 'ls'],
      ...show('ls', '-C'),
      ['command', 'cat .env'],
      ...show('cat', '.env'),
    ]
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const lines = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => ['output', line])

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const COLOURS = { command: '#e6edf3', output: '#9da7b3', comment: '#7d8590' } as const
const [WIDTH, STEP, TOP, LEFT] = [760, 20, 52, 20]

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function drawLine([kind, text]: Line, index: number): string {
  const prompt = kind === 'command' ? '<tspan fill="#3fb950">$ </tspan>' : ''
  const at = `x="${LEFT}" y="${TOP + index * STEP}" fill="${COLOURS[kind]}"`
  return `  <text ${at} xml:space="preserve">${prompt}${escape(text)}</text>`
}

/** The lines as a window. A page that shows it needs no font and loads nothing. */
export function draw(all: readonly Line[]): string {
  const height = TOP + all.length * STEP
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, i) => `  <circle cx="${20 + i * 18}" cy="18" r="5" fill="${fill}"/>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img"`,
    '  aria-label="A terminal: an agent deleted a folder, and timewarp oops brought it back"',
    '  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">',
    `  <rect width="${WIDTH}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...dots,
    ...all.map(drawLine),
    '</svg>',
    '',
  ].join('\n')
}

if (import.meta.main) {
  const picture = draw(session())
  if (!process.argv.includes('--check')) writeFileSync(PICTURE, picture)
  else if (readFileSync(PICTURE, 'utf8') !== picture) {
    process.stderr.write('docs/session.svg: not what the program prints. Run: npm run docs\n')
    process.exitCode = 1
  }
}
