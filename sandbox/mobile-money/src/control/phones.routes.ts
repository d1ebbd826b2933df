import { openStream } from "@lango/sandbox-base";
import type { FastifyInstance } from "fastify";
import Type, { type Static } from "typebox";
import { msisdnPattern, phoneOf, setPhoneBalance } from "../accounts/phone.ts";
import { payOverTheCounter } from "../over-the-counter/pay-over-the-counter.ts";
import { answerPrompt } from "../push/answer-prompt.ts";
import { type PromptAction, promptActions } from "../push/prompt.ts";
import type { Sandbox } from "../sandbox.ts";
import { toMovementItem, toPhoneItem } from "./wire.ts";

const msisdn = Type.String({ pattern: msisdnPattern.source });
const phoneShape = Type.Object(
	{
		name: Type.Optional(Type.String({ pattern: "^\\S+ \\S+$", maxLength: 100 })),
		balance_minor: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 })),
		is_registered: Type.Optional(Type.Boolean()),
	},
	{ additionalProperties: false },
);
const payShape = Type.Object(
	{
		shortcode: Type.String({ pattern: "^[0-9]{5,9}$" }),
		/** Whole shillings, in cents. */
		amount_minor: Type.Integer({ minimum: 100, maximum: 25_000_000, multipleOf: 100 }),
		account: Type.Optional(Type.String({ maxLength: 20 })),
	},
	{ additionalProperties: false },
);
const refusedTexts = {
	shortcode_unknown: "There is no such shortcode.",
	balance_insufficient: "The phone has too little money.",
	validation_refused: "The payee refuses the payment.",
};
const shownMovementsMax = 20;
const shownPhonesMax = 200;

/** The phones: what the page shows, and what a person does on a phone. */
export function installPhones(app: FastifyInstance, sandbox: Sandbox): void {
	const { tables } = sandbox;
	const listPhones = () => tables.phones.list().slice(-shownPhonesMax).reverse();

	app.get("/_control/phones", { schema: { summary: "The phones, and what each shows." } }, () => ({
		items: listPhones().map((phone) => toPhoneItem(sandbox, phone)),
	}));
	app.get("/_control/state", { schema: { summary: "All that the page shows." } }, () => ({
		now: sandbox.clock.now().toISOString(),
		phones: listPhones().map((phone) => toPhoneItem(sandbox, phone)),
		shortcodes: tables.shortcodes.list().map(({ shortcode, name, kind }) => ({ shortcode, name, kind })),
		movements: tables.movements
			.list()
			.filter(({ kind }) => kind !== "deposit")
			.slice(-shownMovementsMax)
			.reverse()
			.map(toMovementItem),
	}));
	const stream = { summary: "Server-sent events: `change` whenever the state has changed." };
	app.get("/_control/stream", { schema: stream }, (request, reply) =>
		openStream({ request, reply }, (send) => sandbox.changes.subscribe(() => send("change", {}))),
	);

	const put = {
		summary: "Adds a phone, or changes its name and balance.",
		params: Type.Object({ msisdn }),
		body: phoneShape,
	};
	app.put("/_control/phones/:msisdn", { schema: put }, (request) => {
		const { msisdn: number } = request.params as { msisdn: string };
		return changePhone(sandbox, number, request.body as Static<typeof phoneShape>);
	});

	const pay = {
		summary: "The phone pays to a paybill or till, over the counter.",
		params: Type.Object({ msisdn }),
		body: payShape,
	};
	app.post("/_control/phones/:msisdn/pay", { schema: pay }, async (request, reply) => {
		const { msisdn: number } = request.params as { msisdn: string };
		const given = request.body as Static<typeof payShape>;
		const result = await payOverTheCounter(sandbox, {
			...{ ordinal: sandbox.rows.nextOrdinal(), phone: number },
			...{ shortcode: given.shortcode, amountMinor: given.amount_minor, reference: given.account ?? "" },
		});
		if ("receipt" in result) return result;
		const message =
			"code" in result ? `${refusedTexts[result.refused]} (${result.code})` : refusedTexts[result.refused];
		return reply.code(409).send({ error: result.refused, message });
	});

	const act = {
		summary: "Answers the prompt that the phone shows.",
		params: Type.Object({ msisdn, action: Type.Enum([...promptActions], { type: "string" }) }),
	};
	app.post("/_control/phones/:msisdn/:action", { schema: act }, (request, reply) => {
		const { msisdn: number, action } = request.params as { msisdn: string; action: PromptAction };
		const { openPromptId } = phoneOf(sandbox, number);
		if (openPromptId === null)
			return reply.code(409).send({ error: "no_prompt", message: "The phone shows no prompt." });
		answerPrompt(sandbox, openPromptId, { action, at: sandbox.clock.now() });
		return toPhoneItem(sandbox, phoneOf(sandbox, number));
	});
}

function changePhone(sandbox: Sandbox, number: string, given: Static<typeof phoneShape>) {
	const phone = phoneOf(sandbox, number);
	const [firstName = phone.firstName, lastName = phone.lastName] = given.name?.split(" ") ?? [];
	const isRegistered = given.is_registered ?? phone.isRegistered;
	sandbox.tables.phones.put(number, { ...phone, firstName, lastName, isRegistered });
	if (given.balance_minor !== undefined)
		setPhoneBalance(sandbox, { msisdn: number, minor: given.balance_minor });
	sandbox.changes.publish(undefined);
	return toPhoneItem(sandbox, phoneOf(sandbox, number));
}
