import { type Deed, type Row, table } from '../rows.ts'

const OPENSSL: Row = {
  does: 'reads',
  longOnly: true,
  takes: '-out -keyout -in -subj -days -newkey -CAout -CA -CAkey -extfile -key -config',
  out: '-out -keyout -CAout',
}

/** What makes one file of others: archives, programs, pictures, documents, keys. */
export const MAKERS: readonly (readonly [names: string, row: Row | Deed])[] = [
  ['zip', { does: 'first', takes: 'x i b n t P', when: [['-m', 'here']] }],
  [
    '7z 7za 7zz',
    {
      does: 'here',
      subs: table([
        ['l t b i h', 'reads'],
        [
          'x e',
          {
            does: 'here',
            // All values stick to their letters: `-aoa`, `-bso0`, `-o/tmp`; `-so` prints.
            takes: 'o? p? x? i? a? b? s? m? t? r?',
            out: '-o',
            when: [['-s=o -o', 'reads']],
          },
        ],
      ]),
    },
  ],
  ['rar unrar', { does: 'here', subs: table([['l lb lt v vb vt t p', 'reads']]) }],
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
    // With an output they write only that; `-MF` and a map are outputs as well.
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
  ['patchelf install_name_tool codesign', 'rest'],
  ['dpkg', { does: 'reads', when: [['-b --build -x --extract -X --vextract -e --control', 'here']] }],
  ['dpkg-deb', { does: 'here', when: [['-c --contents -I --info -f --field -W --show', 'reads']] }],
  [
    'ffmpeg',
    {
      does: 'last',
      longOnly: true,
      takes: '-i -c -vf -af -b -r -s -t -ss -to -f -map -filter_complex -crf -preset -c:v -c:a -b:v -b:a -codec -pass',
      dash: true,
      // The first of two passes leaves a log here.
      when: [['-pass -report -vstats', 'here']],
    },
  ],
  [
    'convert magick',
    {
      does: 'last',
      longOnly: true,
      dash: true,
      takes: '-resize -quality -crop -geometry',
      subs: table([
        ['identify', 'reads'],
        ['mogrify', 'here'],
      ]),
    },
  ],
  [
    'cwebp dwebp rsvg-convert',
    { does: 'reads', longOnly: true, dash: true, takes: '-o --output -q', out: '-o --output' },
  ],
  ['pdftotext', { does: 'into', longOnly: true, dash: true, takes: '-f -l -r -x -y -W -H -enc' }],
  ['optipng', { does: 'all', longOnly: true, takes: '-o -out -dir', out: '-out -dir', when: [['-simulate', 'reads']] }],
  ['sips', { does: 'here', longOnly: true, when: [['-g --getProperty --verify --help', 'reads']] }],
  ['mogrify pngquant jpegoptim', 'here'],
  ['dot neato fdp sfdp twopi circo', { does: 'reads', takes: 'T K G N E A l s o', out: '-o', when: [['-O', 'here']] }],
  [
    'pandoc',
    {
      does: 'reads',
      dash: true,
      takes: 'o f t --output --from --to --extract-media --log',
      out: '-o --output --extract-media --log',
      // Filters are scripts; a file of defaults may name an output.
      when: [['-F --filter -L --lua-filter -d --defaults', 'here']],
    },
  ],
  [
    'openssl',
    {
      ...OPENSSL,
      subs: table([
        ['ca', 'here'],
        // Without the name of a key it writes `privkey.pem`.
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
    // Its keys are in the home.
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
