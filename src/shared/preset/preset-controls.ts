/**
 * Defines each preset field's place in the form, its label and when to show it. Choices, limits and defaults come from the schema.
 */
import { losesNothing } from './photo-formats.ts'
import type { Texts } from '../i18n/texts.ts'
import type { PresetPart, ReadField } from './read-field.ts'

export type ControlGroup =
  | 'document'
  | 'goal'
  | 'main'
  | 'keep'
  | 'picture'
  | 'encoder'
  | 'results'
  | 'variations'

type FieldUnit = keyof Texts['studio']['fieldUnit']

type Widget =
  /** A choice of one of the schema's values. */
  | { readonly kind: 'choice' }
  | { readonly kind: 'number'; readonly unit: FieldUnit | null; readonly scale: number }
  /** A number that may be unset, such as a maximum. */
  | { readonly kind: 'limit'; readonly unit: FieldUnit | null; readonly start: number }
  /** A checkbox that switches between two values. */
  | { readonly kind: 'switch'; readonly on: string | boolean; readonly off: string | boolean }
  | { readonly kind: 'text' }
  /** Several words, separated by commas. */
  | { readonly kind: 'list' }
  | { readonly kind: 'colour' }
  /** Rendered by a part of the form that handles several fields. */
  | { readonly kind: 'own'; readonly drawnBy: 'header' | 'goal' | 'size' | 'crop' | 'keepOriginal' }

export type PresetControl = {
  readonly path: string
  readonly group: ControlGroup
  readonly label: keyof Texts['studio']['label']
  readonly widget: Widget
  readonly help?: keyof Texts['studio']['help']
  /** Whether to show the field. If missing, the field is shown whenever its part is. */
  readonly shownWhen?: (read: ReadField) => boolean
}

const choice: Widget = { kind: 'choice' }
const text: Widget = { kind: 'text' }
const list: Widget = { kind: 'list' }
const tick: Widget = { kind: 'switch', on: true, off: false }
const ticked = (on: string, off: string): Widget => ({ kind: 'switch', on, off })
const number = (unit: FieldUnit | null, scale = 1): Widget => ({ kind: 'number', unit, scale })
const limit = (unit: FieldUnit | null, start: number): Widget => ({ kind: 'limit', unit, start })
const own = (drawnBy: 'header' | 'goal' | 'size' | 'crop' | 'keepOriginal'): Widget => ({
  kind: 'own',
  drawnBy,
})

const control = (
  path: string,
  group: ControlGroup,
  label: PresetControl['label'],
  widget: Widget,
  more: Pick<PresetControl, 'help' | 'shownWhen'> = {},
): PresetControl => ({ path, group, label, widget, ...more })

const isOneOf =
  (path: string, ...values: readonly unknown[]) =>
  (read: ReadField): boolean =>
    values.includes(read(path))

const isLossless = (read: ReadField): boolean => losesNothing(read('image.format'))

const hasPicture = (read: ReadField): boolean => read('video.codec') !== 'none'

const isReencoded = (read: ReadField): boolean => hasPicture(read) && read('video.codec') !== 'copy'

export const PRESET_CONTROLS: readonly PresetControl[] = [
  control('name', 'document', 'name', own('header')),
  control('description', 'document', 'description', text),

  control('results.dates', 'keep', 'fileDate', ticked('keep', 'now')),

  control('image.look', 'goal', 'look', own('goal')),
  control('image.maxBytes', 'goal', 'maxBytes', own('goal')),
  control('image.mayShrink', 'goal', 'mayShrink', own('goal')),
  control('image.quality', 'goal', 'quality', own('goal')),
  control('image.size.width', 'main', 'width', own('size')),
  control('image.size.height', 'main', 'height', own('size')),
  control('image.size.fit', 'main', 'fit', own('size')),
  control('image.format', 'main', 'format', choice),
  control('image.metadata', 'main', 'metadata', choice),
  control('image.hdr', 'keep', 'hdr', ticked('keep', 'tone-map')),
  control('image.crop.aspect', 'picture', 'crop', own('crop')),
  control('image.rotate', 'picture', 'rotate', choice),
  control('image.colour', 'picture', 'colour', choice),
  control('image.background', 'picture', 'background', { kind: 'colour' }, { help: 'background' }),
  control('image.grayscale', 'picture', 'grayscale', tick),
  control('image.animation', 'picture', 'animation', ticked('keep', 'first-frame')),
  control('image.size.enlarge', 'picture', 'enlarge', tick, {
    shownWhen: (read) => read('image.size.width') !== undefined || read('image.size.height') !== undefined,
  }),
  control('image.lossless', 'encoder', 'lossless', tick, { shownWhen: (read) => !isLossless(read) }),
  control('image.effort', 'encoder', 'effort', ticked('small', 'fast'), {
    shownWhen: (read) => !isLossless(read),
  }),
  control('image.bitDepth', 'encoder', 'bitDepth', choice, {
    shownWhen: isOneOf('image.format', 'avif', 'same'),
  }),

  control('video.look', 'goal', 'look', own('goal')),
  control('video.maxBytes', 'goal', 'maxBytes', own('goal')),
  control('video.mayShrink', 'goal', 'mayShrink', own('goal')),
  control('video.crf', 'goal', 'crf', own('goal')),
  control('video.bitrate', 'goal', 'bitrate', own('goal')),
  control('video.height', 'main', 'height', limit('pixels', 1080), { shownWhen: hasPicture }),
  control('video.codec', 'main', 'codec', choice),
  control('video.audio', 'main', 'audio', choice),
  control('video.audioBitrate', 'main', 'audioBitrate', number('kilobits', 1 / 1_000), {
    shownWhen: isOneOf('video.audio', 'aac', 'opus'),
  }),
  control('video.audioLanguages', 'main', 'audioLanguages', list, {
    help: 'languages',
    shownWhen: (read) => read('video.audio') !== 'none',
  }),
  control('video.subtitleLanguages', 'main', 'subtitleLanguages', list, {
    help: 'languages',
    shownWhen: (read) => hasPicture(read) && read('video.subtitles') !== 'none',
  }),
  control('video.metadata', 'main', 'metadata', choice),
  control('video.hdr', 'keep', 'hdr', ticked('keep', 'tone-map'), { shownWhen: isReencoded }),
  control('video.subtitles', 'keep', 'subtitles', ticked('keep', 'none'), { shownWhen: hasPicture }),
  control('video.fps', 'picture', 'fps', limit(null, 30), { shownWhen: hasPicture }),
  control('video.crop.aspect', 'picture', 'crop', own('crop'), { shownWhen: hasPicture }),
  control('video.rotate', 'picture', 'rotate', choice, { shownWhen: hasPicture }),
  control('video.grayscale', 'picture', 'grayscale', tick, { shownWhen: hasPicture }),
  control('video.engine', 'encoder', 'engine', choice, { help: 'engine', shownWhen: isReencoded }),
  control('video.container', 'encoder', 'container', choice, { shownWhen: hasPicture }),
  control('video.bitDepth', 'encoder', 'bitDepth', choice, { shownWhen: isReencoded }),
  control('video.speed', 'encoder', 'speed', choice, { help: 'speed', shownWhen: isReencoded }),

  control('results.name', 'results', 'resultName', text, { help: 'resultName' }),
  control('results.neverLarger', 'results', 'neverLarger', tick),
  control('results.keepBelowQuality', 'results', 'keepBelowQuality', own('keepOriginal'), {
    help: 'keepBelowQuality',
  }),
  control('results.folders', 'results', 'folders', ticked('keep', 'flat')),

  control('variations.brightness', 'variations', 'brightness', number('percent', 100)),
  control('variations.saturation', 'variations', 'saturation', number('percent', 100)),
  control('variations.hue', 'variations', 'hue', number('degrees')),
  control('variations.rotation', 'variations', 'rotation', number('degrees')),
  control('variations.crop', 'variations', 'cutOff', number('percent', 100)),
  control('variations.mirror', 'variations', 'mirror', tick),
  control('variations.seed', 'variations', 'seed', number(null)),
]

/** The part that a control belongs to: photos, videos, or both. */
const partOf = ({ path }: PresetControl): PresetPart | 'both' =>
  path.startsWith('image.') ? 'image' : path.startsWith('video.') ? 'video' : 'both'

/** Returns the controls of a group that belong to this part of the document or to both parts, and are shown or have a fault. */
export const controlsIn = (
  group: ControlGroup,
  part: PresetPart,
  read: ReadField,
  isFaulty: (path: string) => boolean,
): readonly PresetControl[] =>
  PRESET_CONTROLS.filter(
    (one) =>
      one.group === group &&
      [part, 'both'].includes(partOf(one)) &&
      ((one.shownWhen?.(read) ?? true) || isFaulty(one.path)),
  )

/** Returns the group of a field; undefined if the field isn't in the form. */
export const groupOf = (path: string): ControlGroup | undefined =>
  PRESET_CONTROLS.find((one) => one.path === path || one.path.startsWith(`${path}.`))?.group
