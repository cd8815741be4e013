/** The shape of the tables that compare inventories. */
import type { Loss } from '../../shared/loss/loss.ts'
import type { Tags } from './inventory.ts'

/** What the preset asks for. */
export type AskedFor<R> = {
  readonly recipe: R
  /** Whether the result is a variation, which is always SDR, cropped and recolored. */
  readonly isVaried: boolean
}

/** One property of the inventory. */
export type Comparison<I, R> = {
  /** Whether the recipe explains any loss of this property. */
  isAskedFor?(asked: AskedFor<R>, before: I): boolean
  /** @returns the losses between two inventories if the recipe doesn't ask for them */
  find(before: I, after: I, asked: AskedFor<R>): readonly Loss[]
}

/** @returns the number of tags that are gone by name and by value. Containers may have different names for the same value. */
export function lostTags({ others: before }: Tags, { others: after }: Tags): number {
  const names = new Set(after.map(({ name }) => name))
  const values = new Set(after.flatMap(({ value }) => value ?? []))
  return before.filter(({ name, value }) => !names.has(name) && (value === undefined || !values.has(value)))
    .length
}
