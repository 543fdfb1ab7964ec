import { z } from 'zod'
import { command } from '../command.ts'
import { printJson } from '../output/print.ts'

export const Completion = command({
  name: 'completion',
  summary: 'Print a script that lets a shell complete the commands',
  group: 'shell',
  input: z.object({ shell: z.enum(['bash', 'zsh']).describe('The shell') }),
  verb: {
    words: ['shell'],
    examples: ['eval "$(timewarp completion bash)"', 'eval "$(timewarp completion zsh)"'],
  },
  run: async ({ io, globals, verbs }, { shell }) => {
    const script = SCRIPTS[shell](verbs.join(' '))
    if (globals.json) printJson(io, { script })
    else io.out(script)
    return 0
  },
})

/** The first word completes to a command, all others to files, from the folder of -C or the current one. */
const SCRIPTS = {
  bash: (verbs: string) => `_timewarp() {
  local word=\${COMP_WORDS[COMP_CWORD]} dir= i verb=
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      -C) ((i++)); dir=\${COMP_WORDS[i]} ;;
      --home) ((i++)) ;;
      -*) ;;
      *) verb=1 ;;
    esac
  done
  ((i > COMP_CWORD)) && return
  if [[ -n $verb && -d $dir ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(cd -- "$dir" && compgen -f -- "$word")
    return
  fi
  [[ -n $verb ]] && return
  COMPREPLY=($(compgen -W '${verbs}' -- "$word"))
}
complete -o default -F _timewarp timewarp tw
`,
  zsh: (verbs: string) => `_timewarp() {
  local i dir=. verb=
  for ((i = 2; i < CURRENT; i++)); do
    case \${words[i]} in
      -C) ((i++)); dir=\${words[i]} ;;
      --home) ((i++)) ;;
      -*) ;;
      *) verb=1 ;;
    esac
  done
  if ((i > CURRENT)); then _files; elif [[ -n $verb ]]; then _files -W "$dir"; else compadd -- ${verbs}; fi
}
compdef _timewarp timewarp tw
`,
}
