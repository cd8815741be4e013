/**
 * Thunar's custom actions. They are all in one file, `uca.xml`, together with the user's own actions, whose text is never changed.
 * Ours are recognized by their ids.
 */
import type { StarredPreset } from '../../../shared/preset/starred.ts'
import { fieldQuoted, xmlText } from '../quoting.ts'
import { longLabelOf, presetArguments } from './entry.ts'

const ID = 'mediatray-preset-'
const OWN_ID = new RegExp(`<unique-id>\\s*${ID}\\d+\\s*</unique-id>`)

/** The initial content of the user's file if the system doesn't have one. */
export const EMPTY_ACTIONS = '<?xml version="1.0" encoding="UTF-8"?>\n<actions>\n</actions>\n'

/**
 * Replaces our actions in the text of `uca.xml`.
 * @returns undefined if the text isn't a list of actions
 */
export function withThunarActions(
  text: string,
  presets: readonly StarredPreset[],
  program: string,
): string | undefined {
  const others = withoutOwn(text)
  if (others === undefined) return undefined
  const actions = presets.map((preset, index) => thunarAction(preset, index + 1, program)).join('')
  const end = tagsIn(others).findLast(({ tag }) => tag === '</actions>')
  if (end !== undefined) return others.slice(0, end.from) + actions + others.slice(end.from)
  const empty = tagsIn(others).find(({ tag }) => /^<actions\s*\/>$/.test(tag))
  if (empty === undefined) return undefined
  if (actions === '') return others
  return `${others.slice(0, empty.from)}<actions>\n${actions}</actions>${others.slice(empty.to)}`
}

export function hasThunarActions(text: string): boolean {
  const others = withoutOwn(text)
  return others !== undefined && others !== text
}

/**
 * Returns a custom action. Thunar runs its command with a shell, expands `%F` to quoted paths, and shows it for all folders and the chosen
 * kinds of files. Older versions reject files with unknown elements, so this uses only elements that all versions know.
 */
function thunarAction(preset: StarredPreset, number: number, program: string): string {
  const [option, value] = presetArguments(preset)
  const command = `[ -x ${fieldQuoted(program)} ] && exec ${fieldQuoted(program)} ${option} ${fieldQuoted(value)} -- %F`
  return [
    '<action>',
    '\t<icon>mediatray</icon>',
    // An underscore marks the next letter as a shortcut.
    `\t<name>${xmlText(longLabelOf(preset).replaceAll('_', '__'))}</name>`,
    `\t<unique-id>${ID}${number}</unique-id>`,
    `\t<command>${xmlText(command)}</command>`,
    '\t<description></description>',
    '\t<patterns>*</patterns>',
    '\t<directories/>',
    ...(preset.forPhotos ? ['\t<image-files/>'] : []),
    ...(preset.forVideos ? ['\t<video-files/>'] : []),
    '</action>\n',
  ].join('\n')
}

/** Removes our actions, each with the line break after it. Returns undefined if the tags of an action don't match. */
function withoutOwn(text: string): string | undefined {
  let kept = ''
  let at = 0
  let begin: number | undefined
  for (const { tag, from, to } of tagsIn(text)) {
    if (/^<action[\s>]/.test(tag)) {
      if (begin !== undefined) return undefined
      begin = from
    } else if (tag === '</action>') {
      if (begin === undefined) return undefined
      if (OWN_ID.test(text.slice(begin, to))) {
        kept += text.slice(at, begin)
        at = text[to] === '\n' ? to + 1 : to
      }
      begin = undefined
    }
  }
  return begin === undefined ? kept + text.slice(at) : undefined
}

type Tag = { readonly tag: string; readonly from: number; readonly to: number }

/** Matches tags, and comments, CDATA, the document type and processing instructions, which can contain text that looks like a tag. */
const MARKUP =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<!DOCTYPE[^[>]*(?:\[[^]*?\]\s*)?>|<[^!?][^>]*>/g

const tagsIn = (text: string): readonly Tag[] =>
  [...text.matchAll(MARKUP)]
    .filter(([tag]) => !/^<[!?]/.test(tag))
    .map(({ 0: tag, index }) => ({ tag, from: index, to: index + tag.length }))
