/**
 * Finds phrases that make English read as a translation, in documents, comments, catalogs, help and test names.
 * Prints each with its file, line and a better phrase, and exits with 1 if it finds any.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Phrases to avoid and their replacements. Applies to whole lines, identifiers included. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:is|are|was|were|be|been) (?:said|told)\b|\b(?:says|said) so\b|\bsaid once\b/i,
    'reports, shows, warns',
  ],
  [/\bof (?:its|their|his|one[’']s) own\b/i, 'its own, separate, dedicated'],
  // Not the draft's output 'beside' or the option --beside.
  [/(?<!['`-])\bbesides?\b(?!['`])/i, 'alongside, next to, in addition to'],
  [/(?:^|[.:;(–—/*] *)(?:Who|What|Which|Where)ever\b/i, 'anyone who, any … that, regardless of'],
  [/\bso (?:many|long) as\b|\bas long as no\b/i, 'while, unless, N'],
  [/\bwhat (?:came|was made|is left|has come)\b/i, 'new files, output, the rest'],
  [/\bit takes a\b/i, 'you need a'],
  [/\b(?:begun )?anew\b/i, 'again, from scratch, reset'],
  [/\bto be had\b/i, 'available'],
  [/\b(?:a person|people)\b/i, 'the user, users; “you” in the window'],
  [/(?<!there )\b(?:is|are|was) no (?:photo|video|file|folder|image)\b(?! track)/i, 'isn’t a …'],
  [/\bworks? off\b/i, 'processes, drains'],
  [/\bleads? away from\b/i, 'navigates away from'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\blook(?:s|ed|ing)? at (?:the |a )?(?:jobs?|queue|list|service)\b/i, 'check, poll'],
  [/\b(?:a|the|its|same|visual|good) looks?\b(?! (?:at|for|like|up|it))/i, 'visual quality'],
  [/forecast/i, 'estimate'],
  [/(?<![a-z])films?(?![a-z])|Films?(?![a-z])/, 'video'],
  [/\bturns? of the (?:loop|event)/i, 'an event-loop tick'],
  [
    /reckon|\bputter\b|\bobstacle|(?<![a-z])wish(?:es|ed)?(?![a-z])|Wish(?:es)?(?![a-z])/,
    'estimate, writer, blocker, request',
  ],
  [/\bverdict/i, 'failure effect, outcome'],
  [/\bslip of the pen\b/i, 'typo'],
  [/\bgo(?:es|ing)? on by (?:it|them)sel(?:f|ves)\b|\bby (?:it|them)sel(?:f|ves)\b/i, 'automatically'],
  [/\bfor ever\b/i, 'forever'],
  [/\bnobody(?:[’']s)?\b/i, 'no one, unused, or name the actor'],
  [/\bfrom then on\b|\bfrom now on\b/i, 'after that, then'],
]

/** Files and lines in which a phrase is a technical term or a stored name. At most twenty entries. */
const EXCEPTIONS: readonly (readonly [file: RegExp, line: RegExp])[] = [
  [/^scripts\/check-prose\.ts$/, /./],
  // The stored and published name of an estimate.
  [/^src\/main\/(?:cli|drafts|history|outbox)\/|^src\/shared\/model\/job\.ts$/, /\bforecast/],
  [
    /^src\/renderer\/job-pane\/job-outcome\.tsx$|^docs\/(?:estimates|cli)\.md$|^test\/(?:main\/|renderer\/|part-samples\.ts$)/,
    /\bforecast/,
  ],
  // The option --beside.
  [/^src\/main\/cli\/(?:commands\/submit|submit-program)\.ts$|\/(?:en\.json|texts\.ts)$/, /\bbeside\b/],
  // The name of a preset.
  [/^(?:CHANGELOG|docs\/fidelity)\.md$/, /Same look, smallest/],
]

const TEXT = /\.(?:md|tsx?|cjs|css|html|ya?ml)$|\/locales\/en\.json$/
const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => TEXT.test(file) && !file.startsWith('.'))

const findings = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      PHRASES.filter(([pattern]) => pattern.test(line) && !isException(file, line)).map(
        ([pattern, advice]) => `${file}:${index + 1}  “${pattern.exec(line)?.[0].trim()}” → ${advice}`,
      ),
    ),
)

function isException(file: string, line: string): boolean {
  return EXCEPTIONS.some(([where, what]) => where.test(file) && what.test(line))
}

if (findings.length > 0) {
  console.log(findings.join('\n'))
  process.exitCode = 1
}
