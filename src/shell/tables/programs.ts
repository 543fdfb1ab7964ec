import { table } from '../rows.ts'
import { MAKERS } from './makers.ts'

/** The programs of a Unix system. Those that need more than a row are in `programs/special.ts`. */
export const PROGRAMS = table([
  [
    `ls ll la l dir vdir cat bat head tail more most zcat zless bzcat xzcat zgrep tac rev nl wc cut tr fold fmt expand
     unexpand paste join comm column colrm grep egrep fgrep ag ack diff colordiff cmp md5sum sha1sum sha256sum
     sha512sum shasum md5 cksum sum b3sum file stat du df dust duf lsblk realpath readlink basename dirname pathchk
     which whereis whatis apropos man tldr type hash echo printf print pwd true false : test [ expr bc dc factor seq
     yes sleep usleep date cal uname arch hostname whoami id groups who w users last uptime free vmstat iostat nproc
     getconf locale tty tput clear reset stty printenv ps pstree pgrep pkill kill killall top htop btop atop lsof fuser
     netstat ss ip ifconfig route arp ping ping6 traceroute tracepath mtr dig nslookup host whois nc ncat telnet od
     hexdump hd strings nm objdump readelf ldd size otool addr2line jobs fg bg disown wait alias unalias shopt set
     unset read getopts shift exit logout return break continue let umask ulimit times bind complete compgen enable
     help local caller mapfile readarray jq gron fx htmlq exa eza tokei wdiff icdiff delta systemctl service journalctl
     dmesg loginctl timedatectl hostnamectl launchctl sysctl mount umount swapon crontab reboot shutdown useradd
     usermod groupadd passwd chsh apt-cache dpkg-query rpm pacman 
     shellcheck hadolint yamllint open xdg-open pbcopy pbpaste xclip xsel notify-send logger
     hey pyflakes pycodestyle vulture xdotool zprint lscpu lsusb lspci lsmod
     gpg-connect-agent numfmt ts mdls getfattr getfacl lsattr namei findmnt ssh-add ssh-agent ssh-copy-id zipinfo
     fc-list locate getent lsb_release lsns ipcs zdiff zcmp bzgrep xzgrep b2sum sha224sum sha384sum look units iptables
     ufw nmcli nft speedtest ethtool lshw dmidecode neofetch fastfetch cowsay figlet fortune lolcat mail getopt infocmp
     apt-mark apt-file jps jstack pr atq glow jless tzselect resolvectl sw_vers xcode-select scutil uuidgen
     gitk csvlook csvstat csvcut csvgrep
     csvjson jo json_pp diffstat difft pidof pwdx pmap mpstat pidstat iotop mountpoint zstdcat lz4cat gzcat
     zstdgrep lsd jstat jinfo javap ssh-keyscan getcap blkid fc-match procs ncal
     ipcalc onefetch git-sizer`,
    'reads',
  ],
  ['rg', { does: 'reads', when: [['--pre', 'anything']] }],
  [
    'less',
    { does: 'reads', takes: 'o O p P x y z b h j k t T --log-file --LOG-FILE', out: '-o -O --log-file --LOG-FILE' },
  ],
  ['info', { does: 'reads', takes: 'o f n d --output', out: '-o --output', dash: true }],
  ['shuf', { does: 'reads', takes: 'o n i --output --head-count', out: '-o --output' }],
  ['history', { does: 'reads', when: [['-w -a', 'all']] }],
  ['ncdu', { does: 'reads', takes: 'o f X --exclude', out: '-o', dash: true }],
  ['pv', { does: 'reads', takes: 'o L s N i w H B D R --output', out: '-o --output', dash: true }],
  [
    'cloc',
    {
      does: 'reads',
      takes: '--out --report-file --sql',
      out: '--out --report-file --sql',
      when: [['--strip-comments', 'here']],
    },
  ],
  ['scc', { does: 'reads', takes: 'o f i s --output --format', out: '-o --output' }],
  ['yum dnf', { does: 'reads', subs: table([['download', 'here']]) }],
  ['apk', { does: 'reads', subs: table([['fetch', 'here']]) }],
  [
    'http https xh',
    {
      does: 'reads',
      takes: 'o a A p --output --auth --auth-type',
      out: '-o --output',
      dash: true,
      when: [['-d --download --session', 'here']],
    },
  ],
  ['tree', { does: 'reads', takes: 'o L I P', out: '-o' }],
  ['sort', { does: 'reads', takes: 'o k t S T --output --key --field-separator', out: '-o --output' }],
  ['uniq', { does: 'second', takes: 'f s w' }],
  ['iconv', { does: 'reads', takes: 'f t o', out: '-o --output' }],
  ['xxd', { does: 'second', takes: 'l s c g o' }],
  ['base64 base32', { does: 'reads', takes: 'o i w', out: '-o --output' }],
  [
    'yq',
    {
      does: 'reads',
      takes: 'o p s --arg --split-exp',
      when: [
        ['-s --split-exp', 'here'],
        ['-i --inplace --in-place', 'rest'],
      ],
    },
  ],
  [
    'rm unlink shred srm trash trash-put',
    { does: 'removes', takes: 'n s --iterations --size', deep: '-r -R --recursive' },
  ],
  ['fc', { does: 'anything', takes: 'e s', when: [['-l', 'reads']] }],
  ['at batch', { does: 'anything', takes: 'q f t', when: [['-l -c', 'reads']] }],
  ['apt apt-get', { does: 'reads', subs: table([['download source', 'here']]) }],
  [
    'brew',
    {
      does: 'reads',
      subs: table([
        ['bundle', { does: 'here', subs: table([['list check', 'reads']]) }],
        ['unpack sh ruby exec', 'here'],
      ]),
    },
  ],
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
  ['mkfs newfs', { does: 'all', takes: 't L' }],
  ['script', { does: 'anything', takes: 'c' }],
  ['gofmt goimports gofumpt', { does: 'reads', takes: 'r', when: [['-w', 'paths']] }],
  ['clang-format', { does: 'reads', when: [['-i', 'paths']] }],
  ['shfmt', { does: 'reads', takes: 'i ln', when: [['-w --write', 'paths']] }],
  ['rustfmt', { does: 'paths', takes: '--edition --config', when: [['--check', 'reads']] }],
  ['codespell', { does: 'reads', takes: 'S L I --skip', when: [['-w --write-changes -i', 'here']] }],
  ['mdformat', { does: 'paths', when: [['--check', 'reads']] }],
  ['dos2unix unix2dos', { does: 'all', when: [['-n', 'all']] }],
  ...MAKERS,
])

/** Programs that run another one, with their own options before it. `skip`: operands that come first. */
export const WRAPPERS: ReadonlyMap<string, { takes: string; out?: string; skip?: number; assigns?: true }> = new Map([
  ['sudo', { takes: 'u g h p C r t T U D R --user --group', assigns: true }],
  ['doas', { takes: 'u C' }],
  ['nohup', { takes: '' }],
  ['setsid', { takes: '' }],
  ['nice', { takes: 'n --adjustment' }],
  ['ionice', { takes: 'c n p' }],
  ['chrt', { takes: '', skip: 1 }],
  ['taskset', { takes: '', skip: 1 }],
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
  ['uvx', { takes: 'p --python --from --with' }],
  ['xcrun', { takes: 'f --find --sdk --toolchain' }],
  ['bunx', { takes: 'p --package' }],
  ['pnpx', { takes: '' }],
  ['cross-env', { takes: '', assigns: true }],
  ['dotenv', { takes: 'e f' }],
  ['proxychains4', { takes: 'f' }],
  ['busybox', { takes: '' }],
])

/** Commands that print one word without slashes. */
export const ATOMS: ReadonlySet<string> = new Set(
  'date whoami id hostname uname nproc basename wc expr uuidgen'.split(' '),
)
