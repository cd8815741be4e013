/** Converts losses to text in the language of a translation. */
import type { Foreseen } from '../loss/foreseen.ts'
import type { Format } from './format.ts'
import type { KeepingFormat, Loss, LossCode } from '../loss/loss.ts'
import type { CommonTranslation } from './i18n.ts'
import { fill, type FailureTranslation } from './failures.ts'
import type { Texts } from './texts.ts'
import type { Translated } from './translate.ts'

export type LossTranslation = Translated<Texts['losses']> & FailureTranslation

/** "Pages 2 to 5", "Page 2" */
export const lossLabel = ({ code, values }: Loss, t: LossTranslation): string =>
  code === 'pages' && values.first === values.last
    ? t.lossLabel.page({ page: values.first })
    : fill(t.loss[code], values, t)

/** "JPEG holds one page." */
export const lossReasonText = ({ why }: Pick<Loss, 'why'>, t: LossTranslation): string =>
  fill(t.lossReason[why.code], why.values, t)

/** "Pages 2 to 5. JPEG holds one page." */
export const describeLoss = (loss: Loss, t: LossTranslation & Pick<Format, 'sentences'>): string =>
  t.sentences([lossLabel(loss, t), lossReasonText(loss, t)])

/** "pages", "pages and HDR"; from three kinds: "pages, HDR, and more" */
export function lossKinds(codes: readonly LossCode[], t: LossTranslation): string {
  const [first = '', second, ...more] = new Set(codes.map((code) => t.lossKind[code]))
  if (second === undefined) return first
  return t.lossList[more.length === 0 ? 'two' : 'more']({ first, second })
}

/** "TIFF" */
export const formatName = (format: KeepingFormat): string =>
  format === 'webp' ? 'WebP' : format.toUpperCase()

/** "2 files would lose something: pages and HDR." */
export const foreseenSentence = ({ files, kinds }: Foreseen, t: LossTranslation): string =>
  t.lossAhead.files({
    count: files,
    what: lossKinds(
      kinds.map(({ code }) => code),
      t,
    ),
  })

/**
 * Explains why files would lose something: in one sentence, or in a line per kind of loss, such as "2 files: pages. JPEG holds one page."
 */
export function foreseenReasons(
  { kinds }: Foreseen,
  t: CommonTranslation & LossTranslation,
): readonly string[] {
  if (kinds.length === 1) return kinds.map((kind) => lossReasonText(kind, t))
  return kinds.map((kind) =>
    t.lossAhead.kind({
      files: t.count.files({ count: kind.files }),
      what: t.lossKind[kind.code],
      why: lossReasonText(kind, t),
    }),
  )
}

/**
 * Returns one line with the losses and their reason. For several kinds of loss, returns a line with the losses, then a line for each kind.
 */
export function foreseenLines(foreseen: Foreseen, t: CommonTranslation & LossTranslation): readonly string[] {
  const reasons = foreseenReasons(foreseen, t)
  const sentence = foreseenSentence(foreseen, t)
  return reasons.length > 1 ? [sentence, ...reasons] : [t.sentences([sentence, ...reasons])]
}
