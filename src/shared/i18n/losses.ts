/** Converts losses to text in the language of a translation. */
import type { Loss, LossCode } from '../loss/loss.ts'
import type { losses } from './en/losses.ts'
import { fill, type FailureTranslation } from './failures.ts'
import type { Translated } from './translate.ts'

export type LossTranslation = Translated<typeof losses> & FailureTranslation

/** "Pages 2 to 5" */
export const lossLabel = ({ code, values }: Loss, t: LossTranslation): string => fill(t.loss[code], values, t)

/** "JPEG holds one page." */
export const lossReasonText = ({ why }: Loss, t: LossTranslation): string =>
  fill(t.lossReason[why.code], why.values, t)

/** "Pages 2 to 5. JPEG holds one page." */
export const describeLoss = (loss: Loss, t: LossTranslation): string =>
  `${lossLabel(loss, t)}. ${lossReasonText(loss, t)}`

/** "pages", "pages and HDR"; from three kinds: "pages, HDR, and more" */
export function lossKinds(codes: readonly LossCode[], t: LossTranslation): string {
  const [first = '', second, ...more] = new Set(codes.map((code) => t.lossKind[code]))
  if (second === undefined) return first
  return t.lossList[more.length === 0 ? 'two' : 'more']({ first, second })
}
