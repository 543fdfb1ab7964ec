/** The script that a shell reads at its start: it reports commands to Timewarp before and after they run. */

export interface SnippetSetting {
  /** The program `timewarp`. */
  readonly program: string
  /** The store's folder. */
  readonly home: string
  /** A folder for the shell's notes between a command's start and its end. */
  readonly folder: string
}

export const SHELLS = ['bash', 'zsh'] as const
export type Shell = (typeof SHELLS)[number]

/** The text in single quotes, as both shells read them. */
export const quote = (text: string): string => `'${text.split("'").join("'\\''")}'`

export const snippetOf = (shell: Shell, setting: SnippetSetting): string =>
  [HEAD, SETTING[shell](setting), COMMON, BODY[shell]].join('\n')

const HEAD = '# Made by: timewarp guard install shell. Changes are lost when it is installed again.'

const values = ({ program, home }: SnippetSetting): string =>
  `__timewarp_program=${quote(program)}\n__timewarp_home=${quote(home)}\n__timewarp_session=shell-$$-$RANDOM\n__timewarp_elsewhere=`

const SETTING: Readonly<Record<Shell, (setting: SnippetSetting) => string>> = {
  bash: (setting) =>
    `[[ $- == *i* && -z \${__timewarp_home-} ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || return 0
${values(setting)}
__timewarp_folder=${quote(setting.folder)}
__timewarp_notes=$__timewarp_folder/notes.$$`,
  zsh: (setting) => `[[ -o interactive && -z \${__timewarp_home-} ]] || return 0\n${values(setting)}`,
}

/**
 * A call takes at most two seconds, whatever happens. Commands that certainly only read are not reported: the list is
 * short, and any character that has a meaning to the shell takes a command off it.
 */
const COMMON = `
if command -v timeout >/dev/null 2>&1; then __timewarp_within() { command timeout 2 "$@"; }
elif command -v gtimeout >/dev/null 2>&1; then __timewarp_within() { command gtimeout 2 "$@"; }
elif command -v perl >/dev/null 2>&1; then __timewarp_within() { command perl -e 'alarm 2; exec @ARGV' "$@"; }
else __timewarp_within() { command "$@"; }
fi
# phase, call, command
__timewarp_tell() {
  __timewarp_within "$__timewarp_program" --home "$__timewarp_home" shell-event "$1" \\
    --session-id "$__timewarp_session" --call-id "$2" --command "$3" </dev/null 2>/dev/null
}
__timewarp_plain() {
  case $1 in
    *[\\;\\|\\&\\<\\>\\(\\)\\$\\\`]* | *'
'* | *--output*) return 1 ;;
    '' | ls | 'ls '* | ll | 'll '* | la | cd | 'cd '* | pwd | 'cat '* | 'less '* | 'more '* | 'head '* | 'tail '* | 'wc '*) ;;
    'grep '* | 'rg '* | echo | 'echo '* | 'which '* | 'type '* | 'man '* | history | 'history '[0-9]* | clear | exit | logout) ;;
    jobs | fg | bg | date | whoami | id | env | ps | 'ps '* | top | htop | df | 'df '* | du | 'du '* | free | uptime) ;;
    'git status' | 'git status '* | 'git log' | 'git log '* | 'git diff' | 'git diff '* | 'git show' | 'git show '*) ;;
    'git branch' | 'git blame '* | 'timewarp log'* | 'timewarp status'* | 'timewarp diff'* | 'timewarp show'*) ;;
    *) return 1 ;;
  esac
}
__timewarp_warn() {
  case $1 in *store) echo 'Timewarp: this command would delete its store, with everything that can be taken back.' >&2 ;; esac
}`

const BASH = `
# Runs in a subshell, as the expansion of PS0: the command line has been read and not yet run.
__timewarp_pre() {
  local line number command first before call result=plain
  unset HISTTIMEFORMAT
  line=$(builtin history 1)
  [[ $line =~ ^[[:space:]]*([0-9]+)\\*?[[:space:]]{1,2}(.*)$ ]] || return 0
  number=\${BASH_REMATCH[1]} command=\${BASH_REMATCH[2]}
  # What the settings keep out of the history is not known here; it may change anything.
  if [[ $number == "$__timewarp_number" ]]; then
    case "\${HISTCONTROL-}:\${HISTIGNORE-}" in ignoredups: | erasedups: | :) ;; *) command=unrecorded-command ;; esac
  fi
  for _ in 1 2 3; do
    first=\${command%%[[:space:]]*}
    [[ -n $first && -n \${BASH_ALIASES[$first]-} ]] || break
    before=$first command=\${BASH_ALIASES[$first]}\${command#"$first"}
    [[ \${command%%[[:space:]]*} != "$before" ]] || break
  done
  call=$$-$number-$RANDOM
  if ! __timewarp_plain "$command" && [[ $PWD != "$__timewarp_elsewhere" || $command == *timewarp* ]]; then
    result=$(__timewarp_tell pre "$call" "$command")
    __timewarp_warn "$result"
  fi
  printf '%s\\n%s\\n%s\\n%s\\n%s' "$number" "$call" "\${result:-failed}" "$PWD" "$command" 2>/dev/null >|"$__timewarp_notes"
}
__timewarp_post() {
  local status=$? number='' call='' result='' folder='' command=''
  if [[ -s $__timewarp_notes ]]; then
    {
      IFS= read -r number
      IFS= read -r call
      IFS= read -r result
      IFS= read -r folder
      IFS= read -rd '' command
    } 2>/dev/null <"$__timewarp_notes"
    : 2>/dev/null >|"$__timewarp_notes"
    __timewarp_number=$number
    case $result in
      elsewhere*) __timewarp_elsewhere=$folder ;;
      watched* | uncovered*) (builtin cd -- "$folder" 2>/dev/null; __timewarp_tell post "$call" "$command" >/dev/null) ;;
    esac
    [[ $command == *timewarp* ]] && __timewarp_elsewhere=
  elif [[ -z \${__timewarp_number-} ]]; then
    number=$(HISTTIMEFORMAT= builtin history 1)
    [[ $number =~ ([0-9]+) ]] && __timewarp_number=\${BASH_REMATCH[1]}
  fi
  return $status
}
for __timewarp_old in "$__timewarp_folder"/notes.*; do
  kill -0 "\${__timewarp_old##*.}" 2>/dev/null || command rm -f -- "$__timewarp_old" 2>/dev/null
done
unset __timewarp_old
PS0="\${PS0-}"'$(__timewarp_pre >&2)'
if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
  PROMPT_COMMAND=(__timewarp_post "\${PROMPT_COMMAND[@]}")
else
  PROMPT_COMMAND="__timewarp_post\${PROMPT_COMMAND:+
$PROMPT_COMMAND}"
fi
`

const ZSH = `
__timewarp_pre() {
  emulate -L zsh
  local result
  __timewarp_result= __timewarp_line=\${3:-$1}
  __timewarp_plain "$__timewarp_line" && return 0
  [[ $PWD == "$__timewarp_elsewhere" && $__timewarp_line != *timewarp* ]] && return 0
  __timewarp_call=$$-$((++__timewarp_count)) __timewarp_at=$PWD
  result=$(__timewarp_tell pre "$__timewarp_call" "$__timewarp_line")
  __timewarp_result=$result
  __timewarp_warn "$result"
  return 0
}
__timewarp_post() {
  emulate -L zsh
  case $__timewarp_result in
    elsewhere*) __timewarp_elsewhere=$__timewarp_at ;;
    watched* | uncovered*) (builtin cd -q -- "$__timewarp_at" 2>/dev/null; __timewarp_tell post "$__timewarp_call" "$__timewarp_line" >/dev/null) ;;
  esac
  [[ \${__timewarp_line-} == *timewarp* ]] && __timewarp_elsewhere=
  __timewarp_result= __timewarp_line=
  return 0
}
typeset -gi __timewarp_count=0
autoload -Uz add-zsh-hook && add-zsh-hook preexec __timewarp_pre && add-zsh-hook precmd __timewarp_post
`

const BODY: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH }
