/**
 * Returns the locale for output in a terminal, determined as in other commands. Windows has no variables for it.
 * @returns a BCP 47 tag, or a name such as `de_AT.UTF-8`
 */
export function terminalLocale(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string {
  const named = [env['LC_ALL'], env['LC_MESSAGES'], env['LANG']].find((name) => name)
  return named ?? (platform === 'win32' ? new Intl.DateTimeFormat().resolvedOptions().locale : 'en')
}
