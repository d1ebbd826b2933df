import { behaviourOf, type Phone } from "../accounts/phone.ts";
import type { Shortcode } from "../accounts/shortcode.ts";
import { accountOf, balanceOf, type Movement } from "../ledger/movement.ts";
import type { Prompt } from "../push/prompt.ts";
import type { Sandbox } from "../sandbox.ts";

/** An item of `GET /_control/ledger`. */
export const toMovementItem = (movement: Movement) => ({
	receipt: movement.receipt,
	at: movement.at,
	kind: movement.kind,
	from: movement.from,
	to: movement.to,
	amount_minor: movement.amountMinor,
	shortcode: movement.shortcode,
	phone: movement.phone,
	reference: movement.reference,
	conversation_id: movement.conversationId,
	originator_conversation_id: movement.originatorId,
	reverses: movement.reverses,
	reversed_by: movement.reversedBy,
	charge_minor: movement.chargeMinor ?? 0,
});

/** An item of `GET /_control/shortcodes`. */
export const toShortcodeItem = (sandbox: Sandbox, shortcode: Shortcode) => ({
	shortcode: shortcode.shortcode,
	name: shortcode.name,
	kind: shortcode.kind,
	environment: shortcode.environment,
	consumer_key: shortcode.consumerKey,
	consumer_secret: shortcode.consumerSecret,
	passkey: shortcode.passkey,
	initiators: shortcode.initiators,
	utility_minor: balanceOf(sandbox, accountOf.shortcode(shortcode.shortcode, "utility")),
	working_minor: balanceOf(sandbox, accountOf.shortcode(shortcode.shortcode, "working")),
	charge_minor: shortcode.chargeMinor ?? 0,
	/** What it was charged, below zero. */
	charges_minor: balanceOf(sandbox, accountOf.shortcode(shortcode.shortcode, "charges")),
});

/** An item of `GET /_control/phones`. */
export const toPhoneItem = (sandbox: Sandbox, phone: Phone) => ({
	msisdn: phone.msisdn,
	name: `${phone.firstName} ${phone.lastName}`,
	is_registered: phone.isRegistered,
	balance_minor: balanceOf(sandbox, accountOf.phone(phone.msisdn)),
	/** What it does by itself. */
	behaviour: behaviourOf(phone.msisdn),
	prompt: toPromptItem(sandbox, phone.openPromptId),
});

function toPromptItem({ tables }: Sandbox, id: string | null) {
	const prompt: Prompt | undefined = id === null ? undefined : tables.prompts.get(id);
	if (prompt === undefined) return null;
	return {
		checkout_request_id: prompt.id,
		/** What the payer consents to; null: a payment. */
		standing_order: prompt.order && {
			name: prompt.order.name,
			frequency: prompt.order.frequency,
			start_date: prompt.order.startDate,
			end_date: prompt.order.endDate,
		},
		shortcode: prompt.shortcode,
		payee: tables.shortcodes.get(prompt.shortcode)?.name ?? prompt.shortcode,
		amount_minor: prompt.amountMinor,
		reference: prompt.reference,
		description: prompt.description,
		at: prompt.at,
		expires_at: prompt.expiresAt,
	};
}
