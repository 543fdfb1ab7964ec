import { type ProgramRow, type Rows, table } from '../rows.ts'

const OPENSSL: ProgramRow = {
  does: 'reads',
  longOnly: true,
  takes: '-out -keyout -in -subj -days -newkey -CAout -CA -CAkey -extfile -key -config',
  out: '-out -keyout -CAout',
}

/** Programs that make one file from others: archives, programs, keys. */
export const MAKERS: Rows = [
  ['zip', { does: 'first', takes: 'x i b n t P', when: [['-m', 'here']] }],
  [
    'jar',
    {
      does: 'here',
      takes: 'C',
      subs: table([['t tf tvf', 'reads']]),
      when: [['-t --list -d --describe-module', 'reads']],
    },
  ],
  [
    // With an output option they write only that file; `-MF` and a map are outputs as well.
    'gcc g++ cc c++ clang clang++ ld',
    {
      does: 'inside',
      bare: 'reads',
      longOnly: true,
      dash: true,
      takes: '-o -I -L -l -D -U -x -MF -MT -MQ -include -isystem -arch -target -isysroot -Xlinker -Xclang',
      out: '-o -MF -Map -Wl,-Map',
      when: [
        ['-MD -MMD -save-temps --save-temps', 'inside'],
        ['-o', 'reads'],
        [
          '-E -fsyntax-only -M -MM -dumpmachine -dumpversion -dumpfullversion -dumpspecs -### -print-search-dirs',
          'reads',
        ],
        ['-print-file-name -print-prog-name -print-libgcc-file-name -print-multi-lib -print-sysroot', 'reads'],
      ],
    },
  ],
  ['as', { does: 'inside', longOnly: true, takes: '-o -I', out: '-o', when: [['-o', 'reads']] }],
  [
    'rustc',
    {
      does: 'here',
      takes: 'o C L --out-dir --edition --crate-type',
      out: '-o --out-dir',
      when: [['-o --out-dir --explain --print -V -vV', 'reads']],
    },
  ],
  [
    'ar',
    {
      does: 'rest',
      when: [
        ['-t -p', 'reads'],
        ['-x', 'here'],
      ],
      subs: table([
        ['t tv p pv', 'reads'],
        ['x xv xo xvo', 'here'],
      ]),
    },
  ],
  ['ranlib', 'all'],
  ['strip', { does: 'all', takes: 'o R K N F I O --output-file', out: '-o', when: [['-o', 'reads']] }],
  ['javac kotlinc scalac', { does: 'here' }],
  [
    'openssl',
    {
      ...OPENSSL,
      subs: table([
        ['ca', 'here'],
        // Without a key name it writes `privkey.pem`.
        [
          'req',
          {
            ...OPENSSL,
            when: [
              ['-keyout -key', 'reads'],
              ['-new -newkey -x509', 'here'],
            ],
          },
        ],
        ['x509', { ...OPENSSL, when: [['-CAcreateserial', 'here']] }],
      ]),
    },
  ],
  [
    // Its keys are in the user's home.
    'gpg gpg2',
    {
      does: 'here',
      dash: true,
      takes: 'o r u --output --recipient --local-user --keyserver --homedir',
      out: '-o --output --homedir',
      when: [
        ['-o --output', 'reads'],
        [
          '-d --decrypt --list-keys -k -K --list-secret-keys --verify --list-packets --fingerprint --show-keys',
          'reads',
        ],
        ['--export --export-secret-keys --import --recv-keys --search-keys --refresh-keys --card-status', 'reads'],
        ['--gen-key --full-generate-key --quick-generate-key --delete-keys --list-sigs --check-sigs', 'reads'],
      ],
    },
  ],
]
