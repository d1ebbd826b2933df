import { permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { eventTypes, Shape, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import Value from "typebox/value";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { recordRuns } from "./record-runs.ts";

const dataBytesMax = 32 * 1024;

/** The route of events from programs that are not on the bus. */
export const eventRoutes = (domain: Notifications): readonly Route[] => [accepting(domain)];

const accepting = (domain: Notifications): Route =>
	route({
		method: "POST",
		url: "/events",
		access: permit("notifications.messages.add"),
		outlets: tenantWide("events are the tenant's"),
		schema: {
			summary: "Accepts an event, which rules turn into messages",
			description:
				"For programs that are not on the message bus. An event has an effect once for each rule, however often it is sent with the same id.",
			tags: ["triggers"],
			body: Shape({
				id: Uuid,
				type: Type.String({
					pattern: "^(isp|custom)(\\.[a-z][a-z0-9_]{0,39}){1,4}$",
					"x-error": "must begin with isp. or custom.",
				}),
				subject: Type.Optional(
					Type.String({
						minLength: 1,
						maxLength: 200,
						description: "What the event is about, as on the bus; it is not stored, and rules do not read it",
					}),
				),
				data: Type.Record(Type.String({ maxLength: 60 }), Type.Unknown(), {
					description: "What happened; at most 32 KB as JSON",
				}),
			}),
			response: { 202: Type.Object({ event_id: Uuid }) },
		},
		handler: async (request, reply) => {
			const { id, type, data } = request.body;
			requireData(type, data);
			const { id: tenantid } = tenantOf(request);
			const event = { id, type, data, tenantid, time: domain.now().toISOString() };
			await inTenant(domain.db, tenantid, (tx) => recordRuns(domain, tx, event));
			return reply.code(202).send({ event_id: id });
		},
	});

/** Throws `event_invalid` if the data is too large, or does not match the contract of a known type. */
function requireData(type: string, data: object): void {
	if (Buffer.byteLength(JSON.stringify(data)) > dataBytesMax)
		throw failures.event_invalid({
			message: "data is too large: at most 32 KB.",
			fields: { field: "data", in: "body" },
		});
	const known = eventTypes.find((one) => one.type === type);
	if (known === undefined || Value.Check(known.data, data)) return;
	const [first] = Value.Errors(known.data, data);
	const place = first?.instancePath.replaceAll("/", ".") ?? "";
	throw failures.event_invalid({
		message: `data${place} ${first?.message ?? "is not valid"}.`,
		fields: { field: `data${place}`, in: "body" },
	});
}
