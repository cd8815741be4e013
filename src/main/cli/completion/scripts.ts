/** The scripts that connect shells to `complete --shell SHELL -- …`. They never run anything that is on the command line. */

/** A line of the answer that requests file names. No value begins with a tab. */
export const FILES_LINE = '\t:files'

export const SCRIPTS = {
  bash: String.raw`# bash completion for mediatray-cli
_mediatray_cli() {
  local line
  COMPREPLY=()
  compopt +o default 2>/dev/null
  while IFS= read -r line; do
    if [[ $line == $'\t:files' ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("$line")
    fi
  done < <("$1" complete --shell bash -- "${'$'}{COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null)
}
complete -F _mediatray_cli mediatray-cli
`,
  zsh: String.raw`#compdef mediatray-cli
_mediatray_cli() {
  local line files= tab=$'\t'
  local -a found
  for line in "${'$'}{(@f)$("${'$'}{words[1]}" complete --shell zsh -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
    if [[ $line == ${'$'}{tab}:files ]]; then
      files=1
    elif [[ -n $line ]]; then
      found+=("${'$'}{${'$'}{line%%${'$'}tab*}//:/\\:}:${'$'}{line#*${'$'}tab}")
    fi
  done
  [[ $PREFIX == --*=* ]] && compset -P '*='
  local answer=1
  (( ${'$'}{#found} )) && _describe mediatray-cli found && answer=0
  [[ -n $files ]] && _files && answer=0
  return $answer
}
if [[ $funcstack[1] == _mediatray_cli ]]; then
  _mediatray_cli "$@"
else
  compdef _mediatray_cli mediatray-cli
fi
`,
  fish: String.raw`# fish completion for mediatray-cli
function __mediatray_cli_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  for line in ($before[1] complete --shell fish -- $before[2..-1] "$current" 2>/dev/null </dev/null)
    if test "$line" = \t:files
      __fish_complete_path "$current"
    else
      echo $line
    end
  end
end
complete -c mediatray-cli -f -a '(__mediatray_cli_complete)'
`,
  /** Quotes values because PowerShell splits an unquoted word at a comma. Doubles the five characters that can end a single-quoted string. */
  powershell: String.raw`# PowerShell completion for mediatray-cli. Without an answer, PowerShell completes file names.
Register-ArgumentCompleter -Native -CommandName mediatray-cli -ScriptBlock {
  param($current, $line, $cursor)
  $words = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  $before = @($words | Select-Object -Skip 1)
  & $words[0] complete --shell powershell -- @before "=$current" 2>$null | ForEach-Object {
    $value, $about = $_ -split "${'`'}t", 2
    if ($value -ne '') {
      $shown = if ($about) { $about } else { $value }
      $text = if ($value -match '[^\w./:=%+-]') { "'" + ($value -replace "['\u2018-\u201b]", '$&$&') + "'" } else { $value }
      [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $shown)
    }
  }
}
`,
} as const

export type Shell = keyof typeof SCRIPTS
export const SHELLS = Object.keys(SCRIPTS)

export const isShell = (name: string): name is Shell => Object.hasOwn(SCRIPTS, name)
