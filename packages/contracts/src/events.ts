import Type, { type Static, type TSchema } from "typebox";
import { Uuid } from "./shape.ts";

/** One kind of event: its type on the wire, the service it comes from, what its subject is, and the shape of its data. */
export type EventType<S extends TSchema = TSchema> = {
	type: string;
	source: string;
	subject: string;
	data: S;
	because: string;
};

const event = <const S extends TSchema>(definition: EventType<S>): EventType<S> => definition;

/** CloudEvents 1.0 in JSON with the members every Lango event has. `subject` is the id of the entity the event is about. */
export const EventEnvelope = Type.Object({
	specversion: Type.Literal("1.0"),
	id: Uuid,
	source: Type.String(),
	type: Type.String(),
	time: Type.String({ format: "date-time" }),
	subject: Type.String(),
	datacontenttype: Type.Literal("application/json"),
	tenantid: Type.Optional(Uuid),
	tenantslug: Type.Optional(Type.String()),
	correlationid: Type.Optional(Type.String()),
	data: Type.Unknown(),
});
export type EventEnvelope<D = unknown> = Omit<Static<typeof EventEnvelope>, "data"> & { data: D };

const User = {
	user_id: Uuid,
	email: Type.String(),
	name: Type.String(),
	roles: Type.Array(Type.String()),
	status: Type.String(),
};

export const authUserCreated = event({
	type: "auth.user.created",
	source: "/auth",
	subject: "user",
	because: "a new user exists (spec §6)",
	data: Type.Object(User),
});

export const authUserLogin = event({
	type: "auth.user.login",
	source: "/auth",
	subject: "user",
	because: "a user signed in (spec §6)",
	data: Type.Object({ ...User, client_id: Type.String(), at: Type.String({ format: "date-time" }) }),
});

/** Every event there is; the page of events is printed from this list. */
export const eventTypes: readonly EventType[] = [authUserCreated, authUserLogin];
