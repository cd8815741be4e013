/** Building blocks of the IPC contract. */
import * as z from 'zod'

export type Call<Argument extends z.ZodType, Result> = {
  readonly argument: Argument
  /** Type only; never set. */
  readonly result?: Result
}

/** Type only; never set. */
export type Event<Payload> = { readonly payload?: Payload }

export type Contract = Readonly<Record<string, Readonly<Record<string, Call<z.ZodType, unknown>>>>>

export const takes = <Argument extends z.ZodType>(argument: Argument) => ({
  gives: <Result>(): Call<Argument, Result> => ({ argument }),
})
export const gives = <Result>(): Call<z.ZodVoid, Result> => ({ argument: z.void() })
export const tells = <Payload>(): Event<Payload> => ({})
