import { type ProgramRow, type Rows, table } from '../rows.ts'

/** Checkers and formatters: they write sources, a report or a cache only when told to. */

/** TypeScript's compiler. Whether a project is incremental is in its own settings, which are not read. */
export const TSC: ProgramRow = {
  does: 'here',
  longOnly: true,
  takes: '-p --project -project',
  when: [
    ['-b --build -build --incremental -incremental --composite --tsBuildInfoFile --generateTrace', 'here'],
    ['--generateCpuProfile --init -init', 'here'],
    ['--noEmit -noEmit --noemit --showConfig -showConfig --listFilesOnly -v -h --all', 'reads'],
  ],
}

export const CHECKS: Rows = [
  ['tsc vue-tsc tsgo', TSC],
  ['actionlint pydocstyle svelte-check proselint write-good alex checkbashisms envinfo', 'reads'],
  ['pyright basedpyright', { does: 'reads', when: [['--createstub --writebaseline', 'here']] }],
  ['flake8', { does: 'reads', takes: '--output-file --config --max-line-length --select', out: '--output-file' }],
  [
    'pylint',
    {
      does: 'reads',
      takes: 'd e j f --output --rcfile --disable --enable --import-graph --ext-import-graph --int-import-graph',
      out: '--output --import-graph --ext-import-graph --int-import-graph',
    },
  ],
  ['bandit', { does: 'reads', takes: 'o f c b p s t n x a --output --format', out: '-o --output', dash: true }],
  ['radon', { does: 'reads', takes: 'O e i --output-file', out: '-O --output-file' }],
  ['pip-audit', { does: 'reads', takes: 'r f o s --output', out: '-o --output', when: [['--fix', 'here']] }],
  [
    // Both print what they would write.
    'autopep8 yapf',
    { does: 'reads', takes: 'l --max-line-length --style', when: [['-i --in-place', 'paths']] },
  ],
  [
    'golangci-lint',
    {
      does: 'here',
      bare: 'reads',
      takes: 'c --config',
      subs: table([
        [
          'run',
          { does: 'reads', when: [['--fix --output.json.path --output.html.path --output.checkstyle.path', 'here']] },
        ],
        ['fmt', { does: 'here', when: [['-d --diff', 'reads']] }],
        ['config linters formatters help version cache completion', 'reads'],
      ]),
    },
  ],
  ['staticcheck', { does: 'reads', when: [['--fix -fix', 'here']] }],
  [
    'eslint oxlint stylelint standard xo tslint',
    {
      does: 'reads',
      takes: 'o c f --output-file --config --format --ext --ignore-path --max-warnings --rule',
      out: '-o --output-file',
      when: [
        ['--fix --cache --init --fix-type --fix-suggestions --fix-dangerously', 'here'],
        ['--suppress-all --suppress-rule --prune-suppressions', 'here'],
      ],
    },
  ],
  [
    'prettier',
    {
      does: 'reads',
      takes: '--config --parser --ignore-path --plugin',
      when: [
        ['--cache', 'here'],
        ['--write -w', 'paths'],
      ],
    },
  ],
  [
    'biome @biomejs/biome',
    {
      does: 'here',
      subs: table([
        [
          'check lint format ci',
          {
            does: 'reads',
            takes: '--config-path --reporter --reporter-file --suppress --reason',
            when: [['--write --fix --apply --apply-unsafe --unsafe --suppress --reporter-file', 'here']],
          },
        ],
        ['explain rage version search', 'reads'],
      ]),
    },
  ],
  ['knip depcheck size-limit publint', { does: 'reads', when: [['--fix --cache --save-bundle', 'here']] }],
  ['attw', { does: 'reads', when: [['-P --pack', 'here']] }],
  ['madge', { does: 'reads', when: [['-i --image', 'here']] }],
  [
    'dependency-cruiser depcruise',
    {
      does: 'reads',
      dash: true,
      takes: 'f T x c --output-to --output-type --config --exclude',
      out: '-f --output-to',
      when: [['--init --cache', 'here']],
    },
  ],
  ['npm-check-updates ncu', { does: 'reads', when: [['-u --upgrade -i --interactive', 'here']] }],
  ['license-checker', { does: 'reads', takes: '--out --files --start', out: '--out --files' }],
  ['markdownlint', { does: 'reads', takes: 'o c i p r s', out: '-o --output', when: [['-f --fix', 'here']] }],
  [
    'markdownlint-cli2 cspell textlint htmlhint commitlint',
    { does: 'reads', when: [['--fix --init --cache --config-create', 'here']] },
  ],
  ['jsonlint', { does: 'reads', when: [['-i --in-place', 'here']] }],
  ['ajv', { does: 'reads', when: [['-o --output', 'here']], subs: table([['migrate', 'here']]) }],
  ['dprint', { does: 'here', subs: table([['check help license editor-info output-file-paths', 'reads']]) }],
  [
    'rubocop standardrb',
    {
      does: 'reads',
      takes: 'o f c r --out --format --config --only --except --require',
      out: '-o --out',
      when: [
        ['-a -A -x --autocorrect --autocorrect-all --auto-correct --auto-correct-all --fix-layout --fix', 'here'],
        ['--auto-gen-config --regenerate-todo --init -r --require', 'here'],
      ],
    },
  ],
  ['phpcs', { does: 'reads', takes: '--report-file', out: '--report-file', when: [['--cache', 'here']] }],
  [
    'phpstan',
    { does: 'here', subs: table([['analyse analyze', { does: 'reads', when: [['-b --generate-baseline', 'here']] }]]) },
  ],
  [
    'clang-tidy',
    {
      does: 'reads',
      longOnly: true,
      takes: '-p --export-fixes -export-fixes',
      out: '--export-fixes -export-fixes',
      when: [['--fix -fix --fix-errors -fix-errors --fix-notes -fix-notes', 'here']],
    },
  ],
  [
    'cppcheck',
    {
      does: 'reads',
      takes: 'I D U i j --output-file --cppcheck-build-dir --plist-output --checkers-report',
      out: '--output-file --cppcheck-build-dir --plist-output --checkers-report',
      when: [['--dump --addon', 'here']],
    },
  ],
  [
    'swiftlint',
    {
      does: 'reads',
      takes: '--output --config',
      out: '--output',
      when: [['--fix --autocorrect --write-baseline', 'here']],
      subs: table([['generate-docs', 'here']]),
    },
  ],
  ['swiftformat', { does: 'here', when: [['--lint --dryrun', 'reads']] }],
  [
    'ktlint',
    {
      does: 'reads',
      // A reporter may be told where to write: `--reporter=html,output=report.html`.
      when: [['-F --format --reporter --baseline', 'here']],
      subs: table([['installGitPreCommitHook installGitPrePushHook generateEditorConfig', 'here']]),
    },
  ],
  ['stylua', { does: 'paths', dash: true, takes: 'f g --config-path --glob', when: [['-c --check', 'reads']] }],
  ['luacheck selene', { does: 'reads', when: [['--cache', 'here']] }],
  ['vale', { does: 'reads', subs: table([['sync', 'here']]) }],
  ['zizmor', { does: 'reads', when: [['--fix', 'here']] }],
  ['typos', { does: 'reads', when: [['-w --write-changes', 'here']] }],
  [
    'taplo',
    {
      does: 'here',
      subs: table([
        ['fmt format', { does: 'paths', when: [['--check --diff', 'reads']] }],
        ['lint check validate get config help', 'reads'],
      ]),
    },
  ],
  [
    'semgrep',
    {
      does: 'reads',
      takes: 'o f c e l j --output --config --json-output --sarif-output --text-output --junit-xml-output',
      out: '-o --output --json-output --sarif-output --text-output --junit-xml-output',
      when: [['-a --autofix', 'here']],
    },
  ],
  ['gitleaks', { does: 'reads', takes: 'r c s f --report-path', out: '-r --report-path', dash: true }],
  ['trufflehog', 'reads'],
]
