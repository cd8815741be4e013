/** Decides what became of a property of an original. */
import type { LossCode } from '../../src/shared/loss/loss.ts'
import type { FailureError } from '../../src/shared/failure/failure-error.ts'
import type { FinishedFile } from '../../src/media/protocol.ts'

/** Everything else fails. */
export type Effect = 'kept' | 'lost' | 'asked' | 'refused'

/** What an independent tool says about a property, by the property's name. A property that a file lacks is missing. */
export type Facts = ReadonlyMap<string, string>

/** A property of the inventory, as independent tools see it. */
export type Property<Recipe> = {
  readonly name: string
  /** The losses that name it. */
  readonly codes: readonly LossCode[]
  /** Another property that the same losses name. If it is lost, they say nothing about this one. */
  readonly sharesCodesWith?: string
  /** Whether the recipe asks for its change. */
  readonly isAsked: (recipe: Recipe) => boolean
  /** Whether the result has what the original has. Default: both are equal. */
  readonly isKept?: (was: string, is: string, recipe: Recipe) => boolean
}

export type Outcome = Pick<FinishedFile, 'losses' | 'problem'> | FailureError

/**
 * @param is undefined if the result lacks the property
 * @param isOtherKept whether another property of the original is equal in the result
 * @returns a sentence about the fault if none of the effects applies
 */
export function judge<Recipe>(
  property: Property<Recipe>,
  recipe: Recipe,
  was: string,
  is: string | undefined,
  outcome: Outcome,
  isOtherKept: (name: string) => boolean,
): Effect | { readonly fault: string } {
  if (outcome instanceof Error) return 'refused'
  const isNamed = outcome.losses.some(({ code }) => property.codes.includes(code))
  const isKept = is !== undefined && (property.isKept ?? ((one, other) => one === other))(was, is, recipe)
  const { sharesCodesWith: other } = property
  if (isKept && (!isNamed || (other !== undefined && !isOtherKept(other)))) return 'kept'
  if (isKept) return { fault: `${property.name} is kept, but named as lost` }
  if (isNamed) return 'lost'
  if (property.isAsked(recipe)) return 'asked'
  return { fault: `${property.name} was “${was}” and is “${is ?? 'missing'}”, without a word` }
}
