import { actorOf, callerOf, originOf, permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { FailureBody, Shape } from "@lango/contracts";
import Type from "typebox";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import { simulatePayment } from "../gateways/mobile-money/over-the-counter.ts";
import { AmountMinor } from "../money/amount.ts";
import { readPhone } from "../money/phone.ts";
import { paymentFailures } from "../payments/failures.ts";
import type { Treasury } from "../treasury.ts";
import { counterFailures } from "./failures.ts";
import { registerShortcodeUrls } from "./register-shortcode-urls.ts";

const tags = ["mobile money"];
const ofTheShortcode = {
	access: permit("treasury.gateways.manage"),
	outlets: tenantWide("the shortcode is the tenant's"),
	method: "POST",
} as const;
const DateTime = Type.String({ format: "date-time" });

/** The routes of payments to the tenant's paybill or till. */
export const overTheCounterRoutes = (treasury: Treasury): readonly Route[] => [
	registering(treasury),
	simulating(treasury),
];

const registering = (treasury: Treasury): Route =>
	route({
		...ofTheShortcode,
		url: "/mobile-money/urls",
		schema: {
			summary: "Registers where the gateway validates and confirms payments to the tenant's shortcode",
			description: "In production the gateway takes the addresses of a shortcode once.",
			tags,
			response: { 200: Type.Object({ registered_at: DateTime }), 409: FailureBody, 503: FailureBody },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			const by = { actor: actorOf(callerOf(request)), ...originOf(request) };
			const registeredAt = await registerShortcodeUrls(treasury, { tenantId, by });
			return { registered_at: registeredAt.toISOString() };
		},
	});

const simulating = (treasury: Treasury): Route =>
	route({
		...ofTheShortcode,
		url: "/mobile-money/simulate",
		schema: {
			summary: "Simulates a payment to the tenant's paybill",
			description: "Only in the sandbox of the gateway. The payment arrives as a confirmation.",
			tags,
			body: Shape({
				amount_minor: AmountMinor,
				phone: Type.String({ minLength: 9, maxLength: 20, examples: ["0712 345 678"] }),
				account: Type.String({ minLength: 1, maxLength: 20, description: "What the payer types" }),
			}),
			response: {
				202: Type.Object({ originator_id: Type.Union([Type.String(), Type.Null()]) }),
				409: FailureBody,
				503: FailureBody,
			},
		},
		handler: async (request, reply) => {
			const { phone: written, amount_minor, account: accountCode } = request.body;
			const phone = readPhone(written);
			if (phone === undefined)
				throw paymentFailures.phone_invalid({ fields: { field: "phone", in: "body" } });
			const amountMinor = BigInt(amount_minor);
			if (amountMinor % 100n !== 0n) throw paymentFailures.amount_not_whole();
			const account = await treasury.gateways.requireMobileMoney(tenantOf(request).id);
			if (account.profile.environment !== "sandbox") throw counterFailures.sandbox_only();
			const answer = await simulatePayment(account, { amountMinor, phone, accountCode });
			const { ids } = requireAccepted(answer);
			return reply.code(202).send({ originator_id: ids.originatorId ?? null });
		},
	});
