import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import type { Clock } from "../time/clock.ts";

const clockShape = Type.Object(
	{
		// Null first: a union is tried in order, and a text would take it as "".
		now: Type.Optional(Type.Union([Type.Null(), Type.String({ maxLength: 40 })])),
		advance_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 * 366 * 86_400 })),
	},
	{ additionalProperties: false, minProperties: 1, maxProperties: 1 },
);

/**
 * Routes that read and set the clock: `{"now": "2026-11-24T08:00:00Z"}`, `{"now": null}` for the real time,
 * or `{"advance_seconds": 60}`. A set clock does not move.
 */
export function installClock(app: FastifyInstance, path: string, clock: Clock): void {
	app.get(path, () => ({ now: clock.now().toISOString() }));
	app.route({
		method: ["PUT", "POST"],
		url: path,
		schema: { body: clockShape },
		handler: (request, reply) => {
			const at = readTime(request.body as Static<typeof clockShape>, clock);
			if (at !== undefined && Number.isNaN(at.getTime()))
				return reply.code(400).send({ error: "time_invalid", message: "`now` must be an RFC 3339 time." });
			clock.set(at);
			return { now: clock.now().toISOString() };
		},
	});
}

function readTime({ now, advance_seconds: seconds }: Static<typeof clockShape>, clock: Clock) {
	if (seconds !== undefined) return new Date(clock.now().getTime() + seconds * 1000);
	return now === null || now === undefined ? undefined : new Date(now);
}

/**
 * Refuses requests below `prefix` with 403 unless they come from this machine, and those that a page of
 * another site sends. `isOpen`: other machines may send them, too.
 */
export function guardControl(
	app: FastifyInstance,
	{ prefix, isOpen }: { prefix: string; isOpen: boolean },
): void {
	app.addHook("onRequest", async (request, reply) => {
		// The matched pattern: the address itself may be encoded.
		if (request.routeOptions.url?.startsWith(prefix) !== true) return;
		if ((isOpen || isLocal(request)) && !isOfAnotherSite(request)) return;
		await refuse(reply);
	});
}

const isLocal = ({ socket: { remoteAddress = "" } }: FastifyRequest) =>
	remoteAddress === "::1" || /^(::ffff:)?127\./.test(remoteAddress);

/** Fetch Metadata, `Sec-Fetch-Site`: only browsers send it. */
const isOfAnotherSite = ({ headers }: FastifyRequest) =>
	["cross-site", "same-site"].includes(String(headers["sec-fetch-site"]));

const refuse = (reply: FastifyReply) =>
	reply.code(403).send({ error: "control_refused", message: "Only this machine controls the sandbox." });
