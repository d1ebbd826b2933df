import { installClock, installFaults } from "@lango/sandbox-base";
import type { FastifyInstance } from "fastify";
import Type, { type Static } from "typebox";
import { newShortcode, setBalance, shortcodeKinds } from "../accounts/shortcode.ts";
import { faults, operations } from "../callbacks/fault-words.ts";
import { keyPairOf } from "../requests/key-pair.ts";
import type { Sandbox } from "../sandbox.ts";
import { resetState } from "../state.ts";
import { toMovementItem, toShortcodeItem } from "./wire.ts";

const minor = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });
const secret = Type.String({ minLength: 1, maxLength: 400 });
const initiator = Type.Object({ name: secret, password: secret }, { additionalProperties: false });

/** Members that are missing keep their value; those of a new shortcode are as in the demo accounts. */
const shortcodeShape = Type.Object(
	{
		shortcode: Type.String({ pattern: "^[0-9]{5,9}$" }),
		name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
		kind: Type.Optional(Type.Enum([...shortcodeKinds], { type: "string" })),
		environment: Type.Optional(Type.Enum(["sandbox", "production"], { type: "string" })),
		passkey: Type.Optional(secret),
		consumer_key: Type.Optional(secret),
		consumer_secret: Type.Optional(secret),
		initiators: Type.Optional(Type.Array(initiator, { maxItems: 20 })),
		utility_minor: Type.Optional(minor),
		working_minor: Type.Optional(minor),
		/** What it is charged for each payout, business payment and reversal. */
		charge_minor: Type.Optional(minor),
	},
	{ additionalProperties: false },
);
const shortcodesShape = Type.Array(shortcodeShape, { maxItems: 1000 });
const pageShape = Type.Object({
	/** The first one that is listed. */
	offset: Type.Integer({ minimum: 0, default: 0 }),
	limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1000 }),
});

/** What tests and developers set and ask, besides the phones. */
export function installControl(app: FastifyInstance, sandbox: Sandbox): void {
	const { tables, deliveries, clock } = sandbox;
	installClock(app, "/_control/clock", clock);
	installFaults(app, "/_control/faults", { faults: sandbox.faults, words: { operations, faults } });

	const reset = { summary: "Removes everything, also rules of faults; the demo accounts are opened again." };
	app.post("/_control/reset", { schema: reset }, (_request, reply) => {
		resetState(sandbox);
		return reply.code(204).send();
	});

	const ledger = { summary: "Every movement, the oldest first, and every balance.", querystring: pageShape };
	app.get("/_control/ledger", { schema: ledger }, ({ query }) => {
		const { offset, limit } = query as Static<typeof pageShape>;
		const movements = tables.movements.list();
		return {
			movements: movements.slice(offset, offset + limit).map(toMovementItem),
			total: movements.length,
			balances: Object.fromEntries(tables.balances.list().map((one) => [one.account, one.minor])),
		};
	});
	const sent = {
		summary: "The latest callbacks, what was answered, and how many wait to be sent.",
		querystring: pageShape,
	};
	app.get("/_control/deliveries", { schema: sent }, ({ query }) => {
		const { offset, limit } = query as Static<typeof pageShape>;
		return { items: deliveries.list().slice(offset, offset + limit), waiting: deliveries.waiting() };
	});

	const certificate = { summary: "The certificate that `SecurityCredential` is encrypted with, PEM." };
	app.get("/certificate", { schema: certificate }, async (_request, reply) =>
		reply.type("application/x-pem-file").send((await keyPairOf(sandbox)).certificate),
	);

	app.get("/_control/shortcodes", { schema: { summary: "The shortcodes, with their secrets." } }, () => ({
		items: tables.shortcodes.list().map((shortcode) => toShortcodeItem(sandbox, shortcode)),
	}));
	const put = { summary: "Adds or changes shortcodes.", body: shortcodesShape };
	app.put("/_control/shortcodes", { schema: put }, ({ body }) => {
		const given = body as Static<typeof shortcodesShape>;
		for (const one of given) putShortcode(sandbox, one);
		sandbox.changes.publish(undefined);
		return { items: tables.shortcodes.list().map((shortcode) => toShortcodeItem(sandbox, shortcode)) };
	});
}

function putShortcode(sandbox: Sandbox, given: Static<typeof shortcodeShape>): void {
	const { shortcode, utility_minor: utility, working_minor: working } = given;
	const { consumer_key: consumerKey, consumer_secret: consumerSecret } = given;
	const { name, kind, environment, passkey, initiators, charge_minor: chargeMinor } = given;
	const changes = { name, kind, environment, passkey, consumerKey, consumerSecret, initiators, chargeMinor };
	const set = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
	const { shortcodes } = sandbox.tables;
	shortcodes.put(
		shortcode,
		newShortcode({ ...shortcodes.get(shortcode), ...set, shortcode, wrongPasswords: 0 }),
	);
	if (utility !== undefined) setBalance(sandbox, { shortcode, account: "utility", minor: utility });
	if (working !== undefined) setBalance(sandbox, { shortcode, account: "working", minor: working });
}
