import Type, { type Static, type TSchema } from "typebox";
import { Uuid } from "../values/shape.ts";

/** An event type: its name on the wire, its producer, its subject, and the schema of its data. */
export type EventType<S extends TSchema = TSchema> = {
	type: string;
	source: string;
	subject: string;
	data: S;
	because: string;
	/**
	 * The names of members of the data that are secrets, at any depth: encrypted wherever the event is
	 * stored, and empty in every listing.
	 */
	sensitive?: readonly string[];
};

/** Checks and returns the definition of an event type. */
export const event = <const S extends TSchema>(definition: EventType<S>): EventType<S> => definition;

/** CloudEvents 1.0 in JSON, with the members of every Lango event. `subject` is the id of the entity. */
export const EventEnvelope = Type.Object({
	specversion: Type.Literal("1.0"),
	id: Uuid,
	source: Type.String(),
	type: Type.String({ pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$" }),
	time: Type.String({ format: "date-time" }),
	subject: Type.String(),
	datacontenttype: Type.Literal("application/json"),
	tenantid: Type.Optional(Uuid),
	tenantslug: Type.Optional(Type.String()),
	correlationid: Type.Optional(Type.String()),
	/** The position in the trace that caused the event (CloudEvents Distributed Tracing extension). */
	traceparent: Type.Optional(Type.String()),
	tracestate: Type.Optional(Type.String()),
	data: Type.Unknown(),
});
export type EventEnvelope<D = unknown> = Omit<Static<typeof EventEnvelope>, "data"> & { data: D };

/**
 * The version of the entity in a state event. An event with a lower version than the applied one is ignored.
 */
export const Version = Type.Integer({ minimum: 1 });
export const OrNull = <const T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const DateTime = Type.String({ format: "date-time" });
