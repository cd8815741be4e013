/** The manual page, from the definitions that the help uses. */
import type { Command, Option } from 'commander'

/** @returns mediatray-cli(1) in man(7) macros */
export function manualPage(program: Command, version: string): string {
  return `${[
    `.TH MEDIATRAY\\-CLI 1 "" "Mediatray ${version}" "User Commands"`,
    '.SH NAME',
    `mediatray\\-cli \\- ${escaped(lowered(program.description().replace(/\.$/, '')))}`,
    '.SH SYNOPSIS',
    '.B mediatray\\-cli',
    '.I command',
    '.RI [ options ]',
    '.SH OPTIONS',
    'These options apply to every command.',
    ...optionLines(program),
    '.SH COMMANDS',
    ...commandsIn(program, '').flatMap(({ name, command }) => [
      `.SS "${escaped(`${name} ${usageOf(command)}`.trim())}"`,
      sentence(command.description()),
      ...operandLines(command),
      ...optionLines(command),
    ]),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, about]) => ['.TP', `.B ${escaped(name)}`, escaped(about)]),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, about]) => ['.TP', `.B ${code}`, escaped(about)]),
  ].join('\n')}\n`
}

const ENVIRONMENT = [
  ['MEDIATRAY_BASE_URL', 'The service to use, without --base-url.'],
  ['MEDIATRAY_API_KEY', 'The key of the service.'],
  ['MEDIATRAY_DATA_DIR', 'The data folder that the app and commands share.'],
] as const

const EXIT_CODES = [
  ['0', 'Done, or accepted.'],
  ['2', 'Usage error.'],
  ['3', 'Done with problems.'],
  ['4', 'Failed, canceled, refused or not found.'],
  ['5', 'The service is unreachable or full. Submissions stay in the outbox.'],
  ['6', 'The key is missing or was rejected. Submissions stay in the outbox.'],
  ['7', 'Mediatray’s data couldn’t be written.'],
  ['8', 'Done, but one of Mediatray’s own files was damaged. A copy was kept.'],
  ['130', 'Stopped with Ctrl-C, or the reader closed stdout.'],
] as const

type Named = { readonly name: string; readonly command: Command }

function commandsIn(command: Command, path: string): readonly Named[] {
  const help = command.createHelp()
  return help
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => {
      const name = `${path}${one.name()}`
      return [{ name, command: one }, ...commandsIn(one, `${name} `)]
    })
}

const usageOf = (command: Command): string =>
  command.registeredArguments
    .map((one) => `${one.name()}${one.variadic ? '...' : ''}`)
    .map((name, index) => (command.registeredArguments[index]?.required === true ? name : `[${name}]`))
    .join(' ')

const operandLines = (command: Command): readonly string[] =>
  command.registeredArguments
    .filter(({ description }) => description !== '')
    .flatMap((one) => ['.TP', `.I ${escaped(one.name())}`, sentence(one.description)])

const optionLines = (command: Command): readonly string[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .flatMap((option) => ['.TP', `.B "${escaped(option.flags)}"`, sentence(aboutOf(option))])

const aboutOf = ({ description, argChoices }: Option): string =>
  argChoices === undefined ? description : `${description}: ${argChoices.join(', ')}`

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

const sentence = (text: string): string =>
  escaped(`${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`)

/** Only ASCII, because groff reads other text in an encoding that depends on the system. */
function escaped(text: string): string {
  const plain = text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll('“', String.raw`\(lq`)
    .replaceAll('”', String.raw`\(rq`)
    .replaceAll('’', String.raw`\(cq`)
    .replaceAll(
      /[^\u0020-\u007E]/gu,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
  // groff would read a line that begins with a period or an apostrophe as a request.
  return /^[.']/.test(plain) ? `\\&${plain}` : plain
}
