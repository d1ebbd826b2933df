import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	chassisFailures,
	originOf,
	permit,
	type Route,
	route,
	tenantOf,
	tenantWide,
} from "@lango/chassis";
import { FailureBody, Shape, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { getCardProfile } from "../gateways/profiles/profile.store.ts";
import {
	findPayoutConfig,
	type PayoutConfig,
	savePayoutConfig,
} from "../gateways/shortcodes/payout-config.store.ts";
import { lockAvailable } from "../ledger/available.store.ts";
import type { Treasury } from "../treasury.ts";
import { recipientFailures } from "./failures.ts";
import { findRecipient } from "./recipient.store.ts";

const tags = ["gateways"];
const ofTheTenant = { outlets: tenantWide("the payout configuration is the tenant's") };
const Amount = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });
const Schedule = Type.Enum(["manual", "daily", "weekly"], { type: "string" });
const Minimum = { ...Amount, description: "The smallest net amount of a payout" };
const ApprovalAbove = { ...Amount, description: "Payouts above it need a second person" };

const PayoutConfigWire = Type.Object({
	recipient_id: Type.Union([Uuid, Type.Null()]),
	recipient_code: Type.Union([Type.String(), Type.Null()]),
	schedule: Schedule,
	minimum_minor: Minimum,
	approval_above_minor: ApprovalAbove,
	approval_above_max_minor: {
		...Amount,
		description: "The highest approval_above_minor that may be set, as the platform owner decided",
	},
});

const PayoutConfigBody = Shape({
	recipient_id: Type.Optional(Type.Union([Uuid, Type.Null()])),
	schedule: Schedule,
	minimum_minor: Minimum,
	approval_above_minor: Type.Optional(ApprovalAbove),
});

const toWire = (config: PayoutConfig, highest: number) => ({
	...{ recipient_id: config.recipientId ?? null, recipient_code: config.recipientCode ?? null },
	...{ schedule: config.schedule, minimum_minor: config.minimumMinor },
	// The operator may have lowered the highest one since.
	approval_above_minor: Math.min(config.approvalAboveMinor ?? highest, highest),
	approval_above_max_minor: highest,
});

/** The routes of where a tenant's payouts go. */
export const payoutConfigRoutes = ({ db, now }: Treasury): readonly Route[] => [
	route({
		...ofTheTenant,
		access: permit("treasury.gateways.view"),
		method: "GET",
		url: "/payout-config",
		schema: { summary: "Returns the payout configuration", tags, response: { 200: PayoutConfigWire } },
		handler: async (request) => {
			const { settings } = await getCardProfile(db);
			const config = await inTenant(db, tenantOf(request).id, findPayoutConfig);
			return toWire(config, settings.approval_above_minor);
		},
	}),
	route({
		...ofTheTenant,
		access: permit("treasury.gateways.manage"),
		method: "PUT",
		url: "/payout-config",
		schema: {
			summary: "Sets the payout configuration",
			tags,
			body: PayoutConfigBody,
			response: { 200: PayoutConfigWire, 404: FailureBody },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			const { recipient_id: recipientId, schedule, minimum_minor: minimumMinor, ...body } = request.body;
			const { approval_above_minor: highest } = (await getCardProfile(db)).settings;
			const { approval_above_minor: approvalAboveMinor } = body;
			if (approvalAboveMinor !== undefined && approvalAboveMinor > highest)
				throw chassisFailures.invalid_input({
					message: `approval_above_minor is at most ${highest}, as the platform owner decided.`,
					fields: { field: "approval_above_minor", in: "body" },
				});
			const config = await inTenant(db, tenantId, async (tx) => {
				// The recipient may be removed at the same time.
				await lockAvailable(tx, tenantId);
				const recipient = recipientId == null ? undefined : await findRecipient(tx, recipientId);
				if (recipientId != null && recipient === undefined)
					throw recipientFailures.recipient_not_found({ fields: { field: "recipient_id", in: "body" } });
				const changed: PayoutConfig = {
					...{ recipientId: recipient?.id, recipientCode: recipient?.recipientCode },
					...{ schedule, minimumMinor, approvalAboveMinor, setBy: actorOf(callerOf(request)) },
				};
				await savePayoutConfig(tx, { tenantId, config: changed, now: now() });
				await recordAudit(tx, {
					...{ tenantId, at: now(), actor: actorOf(callerOf(request)), ...originOf(request) },
					...{ action: "payout_config.changed", subject: tenantId, detail: request.body },
				});
				return changed;
			});
			return toWire(config, highest);
		},
	}),
];
