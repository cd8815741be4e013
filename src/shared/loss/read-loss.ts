/** Validates losses from other processes, from the built-in service, and from the history. */
import * as z from 'zod'
import { isCoded } from '../failure/is-failure.ts'
import { messagesOf } from '../i18n/catalog.ts'
import { english } from '../i18n/english.ts'
import { once } from '../once.ts'
import { isLossCode, type Loss, type LossCode } from './loss.ts'

const losses = once(() => messagesOf(english.losses.loss))
const reasons = once(() => messagesOf(english.losses.lossReason))

/** Accepts a loss with known codes and values of the right types. */
export const isLoss = (value: unknown): value is Loss =>
  isCoded(value, losses()) && 'why' in value && isCoded(value.why, reasons())

export const LossSchema = z.custom<Loss>(isLoss)

export const LossCodeSchema = z.custom<LossCode>(isLossCode)
