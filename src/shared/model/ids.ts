/**
 * Identifies one part of a job from its submission until long after the service has removed it. The part's outbox entry, its job at the
 * service and its history record share this ID. The ID of a whole job is that of its first part.
 */
export type RecordId = string & { readonly __brand: 'RecordId' }

export const asRecordId = (text: string): RecordId => text as RecordId
