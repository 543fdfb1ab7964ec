import { table } from './judge-rows.ts'

const AWS_TAKES =
  '--profile --region --endpoint-url --output --query --exclude --include --acl --storage-class --cache-control --content-type --metadata --project --account --subscription'

/** The programs of a Unix system. Those that need more than a row are in `judge-special.ts`. */
export const PROGRAMS = table([
  [
    `ls ll la l dir vdir cat bat head tail less more most zcat zless bzcat xzcat zgrep tac rev nl wc cut tr fold fmt expand
     unexpand paste join comm column colrm grep egrep fgrep rg ag ack diff colordiff cmp md5sum sha1sum sha256sum
     sha512sum shasum md5 cksum sum b3sum file stat du df dust duf ncdu lsblk realpath readlink basename dirname pathchk
     which whereis whatis apropos man info tldr type hash echo printf print pwd true false : test [ expr bc dc factor seq
     yes sleep usleep date cal uname arch hostname whoami id groups who w users last uptime free vmstat iostat nproc getconf
     locale tty tput clear reset stty printenv ps pstree pgrep pkill kill killall top htop btop atop lsof fuser netstat ss
     ip ifconfig route arp ping ping6 traceroute tracepath mtr dig nslookup host whois nc ncat telnet od hexdump hd strings
     nm objdump readelf ldd size otool addr2line jobs fg bg disown wait history alias unalias shopt set unset read
     getopts shift exit logout return break continue let umask ulimit times bind complete compgen enable help local
     caller mapfile readarray jq gron fx htmlq exa eza tree-sitter tokei cloc scc wdiff icdiff delta 
     systemctl service journalctl dmesg loginctl timedatectl hostnamectl launchctl sysctl mount umount swapon crontab
     reboot shutdown useradd usermod groupadd passwd  chsh apt-cache dpkg-query rpm yum dnf pacman apk
     snap flatpak port choco winget nix-env mas rustup nvm fnm asdf pyenv rbenv volta ffprobe identify 
     mediainfo shellcheck hadolint yamllint  ffplay open xdg-open pbcopy pbpaste xclip xsel notify-send
     logger redis-cli pg_isready ab wrk hey  kubectx kubens minikube kind
     flake8 pylint pyflakes pycodestyle bandit vulture radon xdotool  say  zprint lscpu lsusb lspci
     lsmod gpg-connect-agent numfmt shuf  ts pv mdls defaults getfattr getfacl lsattr namei findmnt ssh-add
     ssh-agent ssh-copy-id zipinfo fc-list locate getent lsb_release lsns ipcs zdiff zcmp bzgrep xzgrep b2sum sha224sum
     sha384sum look units iptables ufw nmcli nft speedtest ethtool lshw dmidecode neofetch fastfetch cowsay figlet fortune
     lolcat mail getopt infocmp apt-mark apt-file mysqladmin jps jstack pr atq glow jless tzselect resolvectl loginctl  nvidia-smi sw_vers xcode-select scutil`,
    'reads',
  ],
  ['tree', { does: 'reads', takes: 'o L I P', out: '-o' }],
  ['sort', { does: 'reads', takes: 'o k t S T --output --key --field-separator', out: '-o --output' }],
  ['uniq', { does: 'second', takes: 'f s w' }],
  ['iconv', { does: 'reads', takes: 'f t o', out: '-o --output' }],
  ['xxd', { does: 'second', takes: 'l s c g o' }],
  ['base64 base32', { does: 'reads', takes: 'o i w', out: '-o --output' }],
  ['yq', { does: 'reads', takes: 'o p s --arg', when: [['-i --inplace --in-place', 'rest']] }],
  [
    'rm unlink shred srm trash trash-put',
    { does: 'removes', takes: 'n s --iterations --size', deep: '-r -R --recursive' },
  ],
  ['fc', { does: 'anything', takes: 'e s', when: [['-l', 'reads']] }],
  ['at batch', { does: 'anything', takes: 'q f t', when: [['-l -c', 'reads']] }],
  ['apt apt-get', { does: 'reads', subs: table([['download source', 'here']]) }],
  ['brew', { does: 'reads', subs: table([['bundle', 'here']]) }],
  ['xmllint', { does: 'reads', takes: 'o --output --xpath --schema', out: '-o --output' }],
  ['sdiff', { does: 'reads', takes: 'o w', out: '-o --output' }],
  ['tcpdump', { does: 'reads', takes: 'w i c r s', out: '-w' }],
  ['nmap', { does: 'reads', when: [['-o', 'here']] }],
  [
    'tmux',
    {
      does: 'anything',
      bare: 'reads',
      takes: 'L S f',
      subs: table([
        [
          'ls list-sessions list-windows list-panes attach attach-session a capture-pane display-message kill-session kill-server has-session',
          'reads',
        ],
      ]),
    },
  ],
  ['screen', { does: 'anything', stopsEarly: true, takes: 'S x r c e h p s t T', when: [['-l -r -x', 'reads']] }],
  ['setfacl', { does: 'all', takes: 'm M x X --modify --remove', deep: '-R' }],
  ['xattr', { does: 'reads', when: [['-d -w -c', 'all']] }],
  ['rmdir', { does: 'all' }],
  ['mv', { does: 'moves', takes: 't S --target-directory --suffix', out: '-t --target-directory' }],
  ['touch', { does: 'all', takes: 'd r t --date --reference' }],
  ['mkdir', { does: 'all', takes: 'm Z --mode' }],
  ['mkfifo mknod', { does: 'all', takes: 'm' }],
  [
    'chmod',
    {
      does: 'rest',
      deep: '-R --recursive',
      when: [
        ['--reference', 'all'],
        // A mode may begin like an option: `chmod -x file`.
        ['-r -w -x -X -s -t -u -g -o -a', 'all'],
      ],
    },
  ],
  ['chown chgrp chattr chflags', { does: 'rest', deep: '-R --recursive', when: [['--reference --from', 'all']] }],
  ['truncate fallocate', { does: 'all', takes: 's r l o --size --reference --length --offset' }],
  ['tee sponge', { does: 'all' }],
  ['zip', { does: 'first', takes: 'x i b n t P', when: [['-m', 'here']] }],
  ['7z 7za rar', { does: 'here' }],
  ['csplit', { does: 'here', takes: 'f n b' }],
  [
    'pg_dump pg_dumpall',
    { does: 'reads', takes: 'f d h p U F t n Z j T', out: '-f --file', when: [['-j --jobs', 'here']] },
  ],
  ['mysqldump mariadb-dump', { does: 'reads', takes: 'r h u P S w T', out: '-r --result-file -T --tab' }],
  ['adb', { does: 'reads', takes: 's', subs: table([['pull bugreport backup', 'here']]) }],
  ['pg_restore', { does: 'reads', takes: 'f d h p U', out: '-f --file' }],
  ['mongodump mongoexport', 'here'],
  [
    'gcc g++ cc c++ clang clang++ ld as',
    {
      does: 'inside',
      longOnly: true,
      takes: 'o I L l D x std MF',
      out: '-o -MF',
      when: [
        ['-MD -MMD -save-temps', 'inside'],
        ['-o', 'reads'],
        ['-E -M -MM -fsyntax-only', 'reads'],
      ],
    },
  ],
  [
    'rustc',
    {
      does: 'here',
      takes: 'o C L --out-dir --edition --crate-type',
      out: '-o --out-dir',
      when: [['-o --out-dir --explain --print -V -vV', 'reads']],
    },
  ],
  ['ar ranlib strip', 'rest'],
  ['javac kotlinc scalac', { does: 'here' }],
  [
    'ffmpeg',
    {
      does: 'last',
      longOnly: true,
      takes: '-i -c -vf -af -b -r -s -t -ss -to -f -map -filter_complex -crf -preset -c:v -c:a -b:v -b:a -vn -codec',
    },
  ],
  [
    'convert magick cwebp sips pdftotext rsvg-convert optipng',
    { does: 'last', longOnly: true, takes: '-resize -quality -crop -geometry -o' },
  ],
  ['mogrify pngquant jpegoptim', 'here'],
  ['pandoc', { does: 'reads', takes: 'o f t --output --from --to', out: '-o --output' }],
  [
    'openssl',
    { does: 'reads', longOnly: true, takes: '-out -keyout -in -subj -days -newkey -CAout', out: '-out -keyout -CAout' },
  ],
  ['gpg', { does: 'here', when: [['--list-keys -k -K --list-secret-keys --verify', 'reads']] }],
  ['dpkg', 'reads'],
  ['kubectl oc', { does: 'reads', subs: table([['cp', 'fetches']]) }],
  ['dpkg-deb', 'here'],
  ['mkfs newfs', 'reads'],
  ['script', { does: 'anything', takes: 'c' }],
  ['gofmt goimports gofumpt', { does: 'reads', takes: 'r', when: [['-w', 'paths']] }],
  ['clang-format', { does: 'reads', when: [['-i', 'paths']] }],
  ['shfmt', { does: 'reads', takes: 'i ln', when: [['-w --write', 'paths']] }],
  ['rustfmt', { does: 'paths', takes: '--edition --config', when: [['--check', 'reads']] }],
  ['codespell', { does: 'reads', takes: 'S L I --skip', when: [['-w --write-changes -i', 'here']] }],
  ['patchelf install_name_tool codesign', 'rest'],
  ['mdformat', { does: 'paths', when: [['--check', 'reads']] }],
  ['dos2unix unix2dos', { does: 'all', when: [['-n', 'all']] }],
  [
    'aws gcloud az gsutil heroku  flyctl fly doctl stripe',
    {
      does: 'here',
      takes: AWS_TAKES,
      subs: table([
        [
          'sts iam ec2 logs lambda rds sqs sns dynamodb cloudformation ecs eks route53 auth config projects info account regions status',
          'reads',
        ],
        [
          's3',
          {
            does: 'here',
            subs: table([
              ['ls mb rb rm presign', 'reads'],
              ['cp mv sync', { does: 'last', takes: AWS_TAKES }],
            ]),
          },
        ],
      ]),
    },
  ],
])

/** Programs that run another one, with options of their own before it. `skip`: operands that come first. */
export const WRAPPERS: ReadonlyMap<string, { takes: string; out?: string; skip?: number; assigns?: true }> = new Map([
  ['sudo', { takes: 'u g h p C r t T U D R --user --group', assigns: true }],
  ['doas', { takes: 'u C' }],
  ['nohup', { takes: '' }],
  ['setsid', { takes: '' }],
  ['nice', { takes: 'n --adjustment' }],
  ['ionice', { takes: 'c n p' }],
  ['chrt', { takes: '', skip: 1 }],
  ['taskset', { takes: 'c', skip: 1 }],
  ['time', { takes: 'f o --format --output', out: '-o --output' }],
  ['timeout', { takes: 'k s --kill-after --signal', skip: 1 }],
  ['gtimeout', { takes: 'k s --kill-after --signal', skip: 1 }],
  ['stdbuf', { takes: 'i o e --input --output --error' }],
  ['unbuffer', { takes: '' }],
  ['caffeinate', { takes: 't w' }],
  ['chronic', { takes: '' }],
  ['builtin', { takes: '' }],
  ['exec', { takes: 'a' }],
  ['noglob', { takes: '' }],
  ['nocorrect', { takes: '' }],
  ['strace', { takes: 'o e p s u E S P', out: '-o' }],
  ['ltrace', { takes: 'o e p s u', out: '-o' }],
  ['xvfb-run', { takes: 'n s e f' }],
  ['npx', { takes: 'p --package' }],
  ['bunx', { takes: 'p --package' }],
  ['pnpx', { takes: '' }],
  ['cross-env', { takes: '', assigns: true }],
  ['dotenv', { takes: 'e f' }],
  ['proxychains4', { takes: 'f' }],
  ['busybox', { takes: '' }],
])

/** Words whose output is one word without slashes. */
export const ATOMS: ReadonlySet<string> = new Set(
  'date whoami id hostname uname nproc basename wc expr uuidgen'.split(' '),
)
