import { join } from "node:path";
import { installPage, openStream } from "@lango/sandbox-base";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import type { Arrival } from "../record/arrival.ts";
import { filterMembers, toFilter } from "../record/filter-query.ts";
import { toListItem, toMessage } from "../record/wire.ts";
import type { Sandbox } from "../sandbox.ts";

const folder = join(import.meta.dirname, "page");
/** A mail is shown without scripts, forms, and requests other than for its pictures. */
const mailPolicy =
	"sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data: http: https:; style-src 'unsafe-inline'; font-src data:";

const listShape = Type.Object(
	{
		...filterMembers,
		limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
		/** The `next_cursor` of the page before: the id of its last message. */
		cursor: Type.Optional(Type.Integer({ minimum: 1 })),
	},
	{ additionalProperties: false },
);
const idShape = Type.Object({ id: Type.Integer({ minimum: 1 }) });

/** The web inbox and its API. Lists show accepted messages, unless `outcome` says otherwise. */
export function installInbox(app: FastifyInstance, { records }: Sandbox): void {
	installPage(app, folder);
	app.get("/api/messages", { schema: { querystring: listShape } }, ({ query }) => {
		const { limit, cursor, ...filter } = query as Static<typeof listShape>;
		const found = records
			.list(toFilter(filter, "accepted"))
			.filter(({ id }) => cursor === undefined || id < cursor);
		const shown = found.slice(0, limit);
		return {
			items: shown.map(toListItem),
			next_cursor: found.length > limit ? String(shown.at(-1)?.id) : null,
			total: found.length,
		};
	});
	app.get("/api/tenants", () => {
		const named = records.list({ outcome: "accepted" }).map(({ letter }) => letter?.tenant ?? null);
		const counts = Map.groupBy(
			named.filter((name) => name !== null),
			(name) => name,
		);
		const items = [...counts].map(([tenant, messages]) => ({ tenant, count: messages.length }));
		return { items: items.toSorted((one, other) => one.tenant.localeCompare(other.tenant)).slice(0, 500) };
	});
	app.get("/api/stream", (request, reply) =>
		openStream({ request, reply }, (send) =>
			records.subscribe((change) =>
				send(change.type, change.type === "cleared" ? {} : toListItem(change.arrival)),
			),
		),
	);

	const get = (request: FastifyRequest, reply: FastifyReply): Arrival | undefined => {
		const arrival = records.get((request.params as Static<typeof idShape>).id);
		if (arrival === undefined) reply.code(404).send({ error: "not_found", message: "No such message." });
		return arrival;
	};
	const schema = { params: idShape };
	app.get("/api/messages/:id", { schema }, (request, reply) => {
		const arrival = get(request, reply);
		return arrival === undefined ? reply : toMessage(arrival);
	});
	app.get("/api/messages/:id/html", { schema }, (request, reply) => {
		const arrival = get(request, reply);
		if (arrival === undefined) return reply;
		return reply
			.type("text/html; charset=utf-8")
			.headers({ "content-security-policy": mailPolicy, "referrer-policy": "no-referrer" })
			.send(`<!doctype html><base target="_blank">${arrival.letter?.html ?? ""}`);
	});
	app.get("/api/messages/:id/source", { schema }, (request, reply) => {
		const arrival = get(request, reply);
		if (arrival === undefined) return reply;
		return reply.type("text/plain; charset=utf-8").send(arrival.letter?.source ?? "");
	});
}
