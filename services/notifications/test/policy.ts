import { randomUUID } from "node:crypto";
import type { Scene, Stand } from "@lango/testkit";
import { greeting } from "./office.ts";

const base = "/api/v1/:tenant/notifications";
const newMessage = ({ unique }: Scene) =>
	greeting([`${unique().replaceAll(/[^a-z0-9]/gi, "")}@uhai.example`]);
const message = async (scene: Scene) => {
	const { requestId } = await scene.make("POST", `${base}/messages`, newMessage(scene));
	return { params: { id: String(requestId) } };
};
/** A delivery that was cancelled, so that it can be sent again. */
const delivery = async (scene: Scene) => {
	const { params } = await message(scene);
	await scene.make("POST", `${base}/messages/${params.id}/cancel`);
	const { items } = await scene.make("GET", `${base}/messages/${params.id}/deliveries`);
	const [first] = items as Array<{ id: string }>;
	return { params: { id: String(first?.id) } };
};

const redrive = async (scene: Scene) => {
	const { id } = await scene.make("POST", `${base}/deliveries/redrive`, { status: ["dead"] });
	return { params: { id: String(id) } };
};

const rule = ({ unique }: Scene) => ({
	...{
		name: unique(),
		event: "custom.stock.low",
		template: "shared/generic_notification",
		channels: ["email"],
	},
	recipients: ["event.email"],
	map: {
		...{ name: { value: "Asha" }, title: { from: "event.title" }, message: { value: "Stock is low." } },
		action_link: { value: "https://lango.example/stock" },
	},
});
const trigger = async (scene: Scene) => {
	const { id } = await scene.make("POST", `${base}/triggers`, rule(scene));
	return { params: { id: String(id) } };
};
/** A run without a title waits, or has failed. */
const run = async (scene: Scene) => {
	const [made, event_id] = [await trigger(scene), randomUUID()];
	const data = { email: "stock@uhai.example" };
	await scene.make("POST", `${base}/events`, {
		id: event_id,
		type: "custom.stock.low",
		subject: "item",
		data,
	});
	return { ...made, body: { event_id } };
};

const newSuppression = ({ unique }: Scene) => ({
	channel: "email",
	address: `${unique().replaceAll(/[^a-z0-9]/gi, "")}@uhai.example`,
});
const suppression = async (scene: Scene) => {
	const { id } = await scene.make("POST", `${base}/suppressions`, newSuppression(scene));
	return { params: { id: String(id) } };
};

const newProvider = ({ unique }: Scene) => ({
	...{ channel: "sms", kind: "africastalking", name: unique() },
	credentials: { username: "uhai", apiKey: "atsk_test" },
});
/** Providers that routes only show, by tenant: these routes are called at once, and need one. */
const shownProviders = new Map<string, ReturnType<typeof addProvider>>();
const shownProvider = (scene: Scene) => {
	const known = shownProviders.get(scene.tenant.id) ?? addProvider(scene);
	shownProviders.set(scene.tenant.id, known);
	return known;
};
const addProvider = async (scene: Scene) => {
	const { id } = await scene.make("POST", `${base}/providers`, newProvider(scene));
	return { params: { id: String(id) } };
};
const ownProvidersMax = 15;
/** Removes the providers that were made before, because a tenant has at most 20 on a channel. */
async function makeRoom(scene: Scene): Promise<void> {
	const shown = (await shownProvider(scene)).params.id;
	const { items } = await scene.make("GET", `${base}/providers?limit=100`);
	const own = (items as Array<{ id: string; owner: string }>).filter(
		({ id, owner }) => owner === "tenant" && id !== shown,
	);
	if (own.length < ownProvidersMax) return;
	for (const { id } of own) await scene.make("DELETE", `${base}/providers/${id}`);
}
const provider = async (scene: Scene) => {
	await makeRoom(scene);
	return addProvider(scene);
};

const packTerms = { segments: 500, price_minor: 40_000, currency: "KES" };

/** A template of the platform: every tenant reads it. */
const template = {
	params: { group: "shared", name: "generic_notification", version: "1" },
	isShared: true as const,
};

const newTemplate = ({ unique }: Scene) => ({
	path: `own/t_${unique()
		.toLowerCase()
		.replaceAll(/[^a-z0-9]/g, "")
		.slice(-40)}`,
	category: "general",
	variables: [],
	samples: {},
	contents: [{ channel: "sms", locale: "en", source: "Welcome" }],
});
/** A template of the tenant's own, with a draft. */
const ownTemplate = async (scene: Scene) => {
	const body = newTemplate(scene);
	await scene.make("POST", `${base}/templates`, body);
	const [group = "", name = ""] = body.path.split("/");
	return { params: { group, name }, headers: { "if-match": "*" } };
};

const publishedTemplate = async (scene: Scene) => {
	const { params, headers } = await ownTemplate(scene);
	const url = `${base}/templates/${params.group}/${params.name}/publish`;
	await scene.send({ method: "POST", url, headers });
	return { params };
};

/** How the matrices of callers call the routes of this service. */
export const policy = {
	base,
	roles: { viewer: "viewer", operator: "staff", admin: "admin" },
	samples: {
		[`POST ${base}/messages`]: (scene: Scene) => ({ body: newMessage(scene) }),
		[`GET ${base}/messages/:id`]: message,
		[`GET ${base}/messages/:id/deliveries`]: message,
		[`POST ${base}/messages/:id/cancel`]: message,
		[`GET ${base}/deliveries/:id`]: delivery,
		[`GET ${base}/deliveries/:id/address`]: delivery,
		[`POST ${base}/events`]: () => ({
			body: { id: randomUUID(), type: "custom.stock.low", subject: "item", data: { left: 3 } },
		}),
		[`POST ${base}/triggers`]: (scene: Scene) => ({ body: rule(scene) }),
		[`GET ${base}/triggers/:id`]: trigger,
		[`PATCH ${base}/triggers/:id`]: async (scene: Scene) => ({
			...(await trigger(scene)),
			body: { enabled: false },
		}),
		[`DELETE ${base}/triggers/:id`]: trigger,
		[`GET ${base}/triggers/:id/runs`]: trigger,
		[`POST ${base}/triggers/:id/replay`]: run,
		[`POST ${base}/suppressions`]: (scene: Scene) => ({ body: newSuppression(scene) }),
		[`DELETE ${base}/suppressions/:id`]: suppression,
		[`PUT ${base}/preferences`]: () => ({ body: {}, isPersonal: true as const }),
		[`PUT ${base}/preferences/defaults`]: () => ({ body: {} }),
		[`GET ${base}/people/:user_id/preferences`]: () => ({
			params: { user_id: randomUUID() },
			isPersonal: true as const,
		}),
		[`POST ${base}/devices`]: () => ({
			body: { platform: "web", token: `fcm-${randomUUID()}` },
			isPersonal: true as const,
		}),
		[`DELETE ${base}/devices/:id`]: () => ({ params: { id: randomUUID() }, isPersonal: true as const }),
		[`GET ${base}/people/:user_id/export`]: () => ({
			params: { user_id: randomUUID() },
			isPersonal: true as const,
		}),
		[`PUT ${base}/people/:user_id/contact-points`]: () => ({
			params: { user_id: randomUUID() },
			body: { channel: "email", address: "someone@uhai.example" },
			isPersonal: true as const,
		}),
		[`POST ${base}/contact-points`]: ({ unique }: Scene) => ({
			body: { channel: "email", address: `${unique().replaceAll(/[^a-z0-9]/gi, "")}@uhai.example` },
			isPersonal: true as const,
		}),
		[`POST ${base}/contact-points/:id/verify`]: () => ({
			params: { id: randomUUID() },
			body: { code: "000000" },
			isPersonal: true as const,
		}),
		[`DELETE ${base}/contact-points/:id`]: () => ({
			params: { id: randomUUID() },
			isPersonal: true as const,
		}),
		// A digest opens when a job has run.
		[`POST ${base}/digests/:id/send-now`]: () => ({
			params: { id: randomUUID() },
			isPersonal: true as const,
		}),
		[`POST ${base}/providers`]: async (scene: Scene) => {
			await makeRoom(scene);
			return { body: newProvider(scene) };
		},
		[`GET ${base}/providers/:id`]: shownProvider,
		[`GET ${base}/providers/:id/health`]: shownProvider,
		[`PATCH ${base}/providers/:id`]: async (scene: Scene) => ({
			...(await provider(scene)),
			body: { enabled: false },
		}),
		[`DELETE ${base}/providers/:id`]: provider,
		// A provider that exists would be called.
		[`POST ${base}/providers/:id/check`]: () => ({ params: { id: randomUUID() }, isPersonal: true as const }),
		[`POST ${base}/providers/:id/webhook-token`]: provider,
		[`POST ${base}/reputation/pause`]: () => ({ body: { reason: "test" } }),
		[`POST ${base}/reputation/resume`]: () => ({ body: { reason: "test" } }),
		[`PUT ${base}/limits`]: () => ({ body: { sms: { per_minute: 100, burst: 200 } } }),
		[`GET ${base}/templates/:group/:name`]: () => template,
		[`POST ${base}/templates`]: (scene: Scene) => ({ body: newTemplate(scene) }),
		[`PUT ${base}/templates/:group/:name/draft`]: async (scene: Scene) => ({
			...(await ownTemplate(scene)),
			body: { contents: newTemplate(scene).contents },
		}),
		[`POST ${base}/templates/:group/:name/publish`]: ownTemplate,
		[`POST ${base}/templates/:group/:name/rollback`]: async (scene: Scene) => ({
			...(await publishedTemplate(scene)),
			body: { version: 1 },
		}),
		[`DELETE ${base}/templates/:group/:name/override`]: ownTemplate,
		[`POST ${base}/templates/:group/:name/preview`]: () => ({
			...template,
			body: { channel: "sms", locale: "en" },
		}),
		[`POST ${base}/templates/:group/:name/test`]: () => ({
			...template,
			body: { channel: "in_app", locale: "en" },
			isPersonal: true as const,
		}),
		[`GET ${base}/templates/:group/:name/versions`]: () => template,
		[`GET ${base}/templates/:group/:name/versions/:version`]: () => template,
		[`PUT ${base}/credits`]: () => ({ body: { threshold: 20 } }),
		[`POST ${base}/credits/grants`]: () => ({ body: { segments: 5, reason: "welcome" } }),
		// The platform owner adds packs at the platform's own address only, so that no tenant has one as a
		// sample.
		[`POST ${base}/credits/packs`]: () => ({
			body: { code: "sms_500", ...packTerms },
			isPersonal: true as const,
		}),
		[`PUT ${base}/credits/packs`]: () => ({
			body: { code: "sms_500", ...packTerms, is_on_sale: true },
		}),
		// A purchase that is open refuses the next one: permitted callers are refused for the unknown pack.
		[`POST ${base}/credits/top-ups`]: () => ({ body: { pack: "none" }, isPersonal: true as const }),
		[`PATCH ${base}/inbox/:id`]: () => ({
			params: { id: randomUUID() },
			body: { read: true },
			isPersonal: true as const,
		}),
		[`POST ${base}/deliveries/redrive`]: () => ({ body: { status: ["failed"] } }),
		[`GET ${base}/deliveries/redrives/:id`]: redrive,
		[`POST ${base}/deliveries/:id/resend`]: async (scene: Scene) => ({
			...(await delivery(scene)),
			body: {},
		}),
	},
	also: ({ token, tenants: { uhai } }: Stand) => [
		{ name: "member", tenant: uhai, token: token(uhai, "member") },
	],
};
