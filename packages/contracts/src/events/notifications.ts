import Type from "typebox";
import { Uuid } from "../values/shape.ts";
import { DateTime, event, OrNull, Version } from "./event.ts";

const source = "/notifications";
const Channel = Type.Enum(["email", "sms", "push", "whatsapp", "in_app"], { type: "string" });
const Masked = Type.String({ description: "The address with most characters replaced; never in clear" });

export const notificationsMessageCompleted = event({
	type: "notifications.message.completed",
	source,
	subject: "message",
	because: "every delivery of a message is sent or has ended",
	data: Type.Object({
		message_id: Uuid,
		tenant_id: Uuid,
		source: Type.String({ description: "What caused the message: rest, event, digest, resend or test" }),
		channel: Channel,
		template: Type.String(),
		template_version: Uuid,
		labels: Type.Record(Type.String(), Type.String()),
		counts: Type.Record(Type.String(), Type.Integer(), { description: "Deliveries by status" }),
	}),
});

export const notificationsDeliveryChanged = event({
	type: "notifications.delivery.changed",
	source,
	subject: "delivery",
	because:
		"the status of a delivery changed, or it ended when its message was accepted, if the request asked for it with " +
		'events: "deliveries"',
	data: Type.Object({
		delivery_id: Uuid,
		message_id: Uuid,
		tenant_id: Uuid,
		channel: Channel,
		template: Type.String(),
		status: Type.String(),
		error_class: OrNull(Type.String()),
		error_code: OrNull(Type.String()),
		provider_kind: OrNull(Type.String()),
		user_id: OrNull(Uuid),
		address_masked: Masked,
		at: DateTime,
		version: Version,
	}),
});

export const notificationsAddressFailed = event({
	type: "notifications.address.failed",
	source,
	subject: "delivery",
	because: "a provider reported that an address cannot be reached: it is suppressed from now on",
	data: Type.Object({
		tenant_id: Uuid,
		channel: Channel,
		user_id: OrNull(Uuid),
		address_masked: Masked,
		reason: Type.String(),
		at: DateTime,
	}),
});

export const notificationsCreditLow = event({
	type: "notifications.credit.low",
	source,
	subject: "tenant",
	because: "a tenant's SMS credit fell below its threshold",
	data: Type.Object({
		tenant_id: Uuid,
		tenant_name: Type.String(),
		balance: Type.Integer({ description: "In SMS segments" }),
		threshold: Type.Integer({ description: "In SMS segments" }),
	}),
});

export const notificationsLimitReached = event({
	type: "notifications.limit.reached",
	source,
	subject: "tenant",
	because: "a message was skipped or refused because a daily limit is reached; once a day",
	data: Type.Object({
		tenant_id: Uuid,
		limit: Type.String(),
		limit_value: Type.Integer(),
		day: Type.String({ format: "date", description: "In the tenant's time zone" }),
	}),
});

export const notificationsBillingRequested = event({
	type: "notifications.billing.requested",
	source,
	subject: "operation",
	because: "a tenant buys SMS credit: its payment is due",
	data: Type.Object({
		operation_id: Uuid,
		tenant_id: Uuid,
		kind: Type.Enum(["top_up"], { type: "string" }),
		attempt: Type.Integer({ minimum: 1 }),
		amount_minor: Type.Integer({ minimum: 1, description: "Sum of the lines, in minor units" }),
		currency: Type.String(),
		expires_at: DateTime,
		lines: Type.Array(
			Type.Object({
				what: Type.Enum(["sms_credit"], { type: "string" }),
				code: Type.String({ description: "Code of the pack" }),
				amount_minor: Type.Integer(),
			}),
		),
	}),
});

const Health = Type.Object({
	provider_id: Uuid,
	channel: Channel,
	kind: Type.String(),
	name: Type.String(),
	errors: Type.Integer({ description: "Failed calls of the last minute" }),
	slow_percent: Type.Integer({ description: "Share of messages that took more than five minutes" }),
	weight: Type.Integer(),
	at: DateTime,
});

export const notificationsProviderDegraded = event({
	type: "notifications.provider.degraded",
	source,
	subject: "provider",
	because: "a provider fails or is slow: it gets a smaller share of the messages",
	data: Health,
});

export const notificationsProviderRecovered = event({
	type: "notifications.provider.recovered",
	source,
	subject: "provider",
	because: "a provider has its normal share of the messages again",
	data: Health,
});

export const notificationsReputationChanged = event({
	type: "notifications.reputation.changed",
	source,
	subject: "tenant",
	because: "a tenant was warned because of its bounces or complaints, its e-mail was paused, or both ended",
	data: Type.Object({
		tenant_id: Uuid,
		tenant_name: Type.String(),
		state: Type.Enum(["ok", "warned", "paused"], { type: "string" }),
		cause: OrNull(Type.Enum(["bounces", "complaints", "owner"], { type: "string" })),
		sent: Type.Integer({ description: "E-mails of 24 hours" }),
		bounced: Type.Integer(),
		complained: Type.Integer(),
		at: DateTime,
	}),
});
