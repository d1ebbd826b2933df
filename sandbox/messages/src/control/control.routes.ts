import { installClock } from "@lango/sandbox-base";
import type { FastifyInstance } from "fastify";
import Type, { type Static } from "typebox";
import { type Fault, faultsShape, findMistake } from "../faults/fault.ts";
import { filterMembers, toFilter } from "../record/filter-query.ts";
import { waitFor } from "../record/wait-for.ts";
import { toTruthItem } from "../record/wire.ts";
import type { Sandbox } from "../sandbox.ts";

const truthShape = Type.Object(
	{
		...filterMembers,
		limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 10_000 }),
	},
	{ additionalProperties: false },
);
const waitShape = Type.Object(
	{
		...filterMembers,
		count: Type.Integer({ minimum: 0, maximum: 10_000 }),
		timeout_ms: Type.Integer({ minimum: 0, maximum: 60_000, default: 10_000 }),
	},
	{ additionalProperties: false },
);
const webhookShape = Type.Object(
	{
		url: Type.String({ pattern: "^https?://", maxLength: 2_000 }),
		/** What the vendor signs with; `name:password` where it signs in. */
		secret: Type.Optional(Type.String({ maxLength: 400 })),
	},
	{ additionalProperties: false },
);
const webhooksShape = Type.Partial(
	Type.Object(
		{
			postmark: webhookShape,
			africastalking: webhookShape,
			twilio: webhookShape,
			whatsapp_cloud: webhookShape,
		},
		{ additionalProperties: false },
	),
);

/** What tests and developers set and ask: rules, time, the ground truth. */
export function installControl(app: FastifyInstance, sandbox: Sandbox): void {
	const { records, faults, clock, reports } = sandbox;

	app.get("/control/faults", () => ({ items: faults.rules() }));
	app.put("/control/faults", { schema: { body: faultsShape } }, (request, reply) => {
		const rules = request.body as Fault[];
		const mistake = rules.map(findMistake).find((found) => found !== undefined);
		if (mistake !== undefined) return reply.code(400).send({ error: "rule_invalid", message: mistake });
		faults.set(rules);
		return { items: rules };
	});

	installClock(app, "/control/clock", clock);

	app.get("/control/webhooks", () => reports.addresses());
	app.put("/control/webhooks", { schema: { body: webhooksShape } }, (request) => {
		reports.setAddresses(request.body as Static<typeof webhooksShape>);
		return reports.addresses();
	});

	app.get("/control/truth", { schema: { querystring: truthShape } }, (request) => {
		const { limit, ...filter } = request.query as Static<typeof truthShape>;
		const found = records.list(toFilter(filter, "all")).slice(0, limit);
		return { items: found.reverse().map(toTruthItem) };
	});
	app.delete("/control/truth", (_request, reply) => {
		reports.end();
		records.clear(clock.now());
		return reply.code(204).send();
	});

	app.get("/control/wait", { schema: { querystring: waitShape } }, async (request, reply) => {
		const { count, timeout_ms: timeoutMs, ...filter } = request.query as Static<typeof waitShape>;
		const left = new AbortController();
		request.raw.once("close", () => left.abort());
		const signal = AbortSignal.any([left.signal, AbortSignal.timeout(timeoutMs)]);
		const found = await waitFor(records, { filter: toFilter(filter, "all"), count, signal });
		return reply.code(found >= count ? 200 : 408).send({ count: found });
	});
}
