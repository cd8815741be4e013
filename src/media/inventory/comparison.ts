/** The shape of the tables that compare inventories. */
import type { Loss } from '../../shared/loss/loss.ts'
import type { Tags } from './inventory.ts'

export type AskedFor<R> = {
  readonly recipe: R
  /** Whether the result is a variation, which is always SDR, cropped and recolored. */
  readonly isVaried: boolean
}

export type Comparison<I, R> = {
  /** Whether the recipe explains any loss of this property. */
  isAskedFor?(asked: AskedFor<R>, before: I): boolean
  /** Returns the losses of this property. Called only if the recipe doesn't ask for them. */
  find(before: I, after: I, asked: AskedFor<R>): readonly Loss[]
}

/**
 * Counts the tags whose name is gone. If a tag has a value, it counts only if the value is gone, too, because containers may have different
 * names for the same value.
 */
export function lostTags({ others: before }: Tags, { others: after }: Tags): number {
  const names = new Set(after.map(({ name }) => name))
  const values = new Set(after.flatMap(({ value }) => value ?? []))
  return before.filter(({ name, value }) => !names.has(name) && (value === undefined || !values.has(value)))
    .length
}
