/**
 * Commands, with the place in which each takes a secret. One command on a line, its words apart by blanks:
 *
 * - `a|b`: either word. A word may be a piece of a pattern: `snmp\w+`.
 * - `[a]`: the word may be missing.
 * - `*`: any one word. `...`: anything on the same line. `-*`: up to five options without values of their own.
 * - `SECRET`: the secret, bare or in quotes. `=SECRET`: the same, glued to the word before it or behind `=` or a blank.
 *   `:SECRET`: behind a user and a colon. `+SECRET`: glued only, as `-p` of mysql has it.
 * - `LIKE`: a secret that looks like a password: for places in which prose may stand. `TOKEN`: one that looks drawn by lot.
 *
 * Nothing is read behind the secret, so a command with two of them has two lines.
 */
export const COMMANDS: readonly string[] = [
  // The web
  'curl ... -u|--user|--proxy-user|-U :SECRET',
  'curl ... -E|--cert|--proxy-cert :SECRET',
  'https?|xhs? ... -a|--auth :SECRET',
  'bundle config ... :TOKEN',
  // Databases
  'mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump|mariadb-admin|mycli ... -p +SECRET',
  'mysqladmin ... password SECRET',
  'redis-cli|valkey-cli|keydb-cli ... -a|--pass SECRET',
  'requirepass|masterauth SECRET',
  'SETUSER ... > +SECRET',
  'db2 connect to * user * using SECRET',
  // Files with a password
  'zip|unzip|zipcloak ... -P =SECRET',
  '7z|7za|7zr|7zz ... -p +SECRET',
  'rar|unrar ... -p|-hp +SECRET',
  'qpdf ... --encrypt SECRET',
  'qpdf ... --encrypt * SECRET',
  'pdf\\w+ ... -upw|-opw|user_pw|owner_pw|input_pw SECRET',
  'veracrypt|truecrypt ... -p SECRET',
  'htpasswd -\\w*b\\w*n\\w*|-\\w*n\\w*b\\w* * SECRET',
  'htpasswd -\\w*b\\w* * * SECRET',
  'mosquitto_passwd -\\w*b\\w* * * SECRET',
  // Keys and certificates
  'ssh-keygen ... -N|-P SECRET',
  'openssl ... pass: +SECRET',
  'openssl passwd -* SECRET',
  'openssl enc ... -k|-K SECRET',
  'openssl ... -macopt|-hmac [(?:hex)?key:] TOKEN',
  'signtool ... /p SECRET',
  'security ... -w SECRET',
  'security \\w+-keychain\\S* ... -p SECRET',
  'security import ... -P SECRET',
  'cast|forge ... --private-key TOKEN',
  'wandb login -* TOKEN',
  'oathtool -* TOKEN',
  // Other machines
  'sshpass ... -p =SECRET',
  'plink|pscp|psftp|kitty ... -pw SECRET',
  'psexec(?:64)? ... -p SECRET',
  'net user * SECRET',
  'net use ... /user:\\S+ SECRET',
  'cmdkey ... /pass: +SECRET',
  'radtest * SECRET',
  'ldap\\w{3,8} ... -w =SECRET',
  'x11vnc ... -passwd SECRET',
  'networksetup -setairportnetwork * * SECRET',
  'nmcli ... (?:[\\w-]+\\.)?psk|password|wep-key\\d SECRET',
  'wpa_passphrase * SECRET',
  'useradd * -p SECRET',
  'erl|iex|elixir ... -setcookie|--cookie SECRET',
  // Queues, storage, secrets
  'rabbitmqctl add_user|change_password|authenticate_user * SECRET',
  'mc alias set * * * SECRET',
  'mc admin user add * * SECRET',
  'b2 authorize[-_]account|account * * TOKEN',
  'b2 authorize[-_]account * TOKEN',
  'sqlplus|sqlldr|impdp|expdp|rman ... (?:[\\w.]{1,60}/) +ORACLE',
  'CONNECT (?:[\\w.]{1,60}/) +ORACLE',
  'http-basic\\.\\S+ * SECRET',
  'gh secret set ... -b|--body =SECRET',
  'drone secret add|update ... --data SECRET',
  'ssm put-parameter ... SecureString ... --value =SECRET',
  'secret ... --value =SECRET',
  'git config ... [\\w.]*(?:password|token|secret) SECRET',
  'consul ... -encrypt =SECRET',
  'cloudflared service install TOKEN',
  // Whoever logs in with a token
  'docker|podman|buildah|helm|az|oc|skopeo|nerdctl [\\w+] login ... -p SECRET',
  'add-authtoken|authtoken SECRET',
  'snyk|fly|flyctl|doctl|hcloud|vultr-cli|linode-cli|railway|supabase|turso|neonctl|stripe|sentry-cli ... auth|login|init|authenticate|configure [-t|--token|--browserless|--api-key] TOKEN',
  '\\w+ auth|login|authorize|authenticate|activate|set-token|auth:token TOKEN',
  'doctl|vercel|vc|netlify|codecov|codecovcli|surge|expo|eas|bw ... -t|--auth|--session TOKEN',
  'codecov\\.io/\\S+ -t TOKEN',
  // Network devices
  'rocommunity6?|rwcommunity6? SECRET',
  'snmp\\w+ ... -A SECRET',
  'snmp\\w+ ... -X SECRET',
  'snmp\\w+ ... -c LIKE',
  'snmp-server community LIKE',
  'snmp-server user ... auth (?:md5|sha\\S*) SECRET',
  'createUser ... (?:SHA\\S*|MD5) SECRET',
  'createUser ... (?:AES\\S*|DES) SECRET',
  'enable [algorithm-type] [\\S+] secret|password [\\d] LIKE',
  'username|user * [privilege] [\\d+] [role] [[\\w-]+] secret|password [\\d] LIKE',
  'isakmp|ikev1|ikev2 key [\\d] LIKE',
  'tacacs-server|radius-server|tacacs|radius [host] [\\S+] key [\\d] LIKE',
  'neighbor * password [\\d] LIKE',
  'message-digest-key \\d+ md5 [\\d] LIKE',
  'standby|vrrp \\d+ authentication [md5] [key-string] [\\d] LIKE',
  'pre-shared-key [ascii-text] [local|remote] [\\d] LIKE',
]
