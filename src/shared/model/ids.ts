/**
 * One piece of work from the moment it is started until long after the service has forgotten it. The submission in the
 * outbox, the job on the service and the record in the history are the same piece of work and carry the same id.
 */
export type RecordId = string & { readonly __brand: 'RecordId' }

export const asRecordId = (text: string): RecordId => text as RecordId
