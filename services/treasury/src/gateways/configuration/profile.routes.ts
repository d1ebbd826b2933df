import { platformOwner, type Route, route, tenantWide } from "@lango/chassis";
import { FailureBody } from "@lango/contracts";
import type { Static, TSchema } from "typebox";
import type { Treasury } from "../../treasury.ts";
import { cardCallbackUrl, cardWebhookUrl } from "../calls/callback-urls.ts";
import { listCredentials } from "../profiles/credential.store.ts";
import type { GatewayKind } from "../profiles/credential.ts";
import { getCardProfile, getMobileMoneyProfile, type ProfileChange } from "../profiles/profile.store.ts";
import type { SecretChange } from "../profiles/set-secrets.ts";
import { configureProfile, retireSecrets, rotateSecrets } from "./change-profile.ts";
import { changingOf } from "./changing-of.ts";
import {
	CardProfileBody,
	CardProfileWire,
	MobileMoneyProfileBody,
	MobileMoneyProfileWire,
	RetireBody,
	RotateCardBody,
	RotateMobileMoneyBody,
	secretNames,
	toProfileWire,
	toShown,
} from "./profile-wire.ts";

const tags = ["gateways"];
const operator = { access: platformOwner(), outlets: tenantWide("gateways are the platform's") };
const changes = {
	...operator,
	subscription: { exempt: "the platform owner configures gateways regardless of the tenant's subscription" },
};
const refusals = { 401: FailureBody, 403: FailureBody } as const;

/** The operator's routes for the two gateways. Secrets are written only. */
export const profileRoutes = (treasury: Treasury): readonly Route[] => [
	...routesOf(treasury, {
		...{ kind: "mobile_money", name: "mobile-money", Wire: MobileMoneyProfileWire, show: showMobileMoney },
		...{ Body: MobileMoneyProfileBody, RotateBody: RotateMobileMoneyBody },
	}),
	...routesOf(treasury, {
		...{ kind: "card_gateway", name: "card-gateway", Wire: CardProfileWire, show: showCard },
		...{ Body: CardProfileBody, RotateBody: RotateCardBody },
	}),
];

async function showMobileMoney({ db, now }: Treasury) {
	const profile = await getMobileMoneyProfile(db);
	const credentials = await listCredentials(db, { tenantId: undefined, profileId: profile.id, now: now() });
	return {
		...toProfileWire(profile, credentials),
		...{ certificate: profile.certificate ?? null, settings: profile.settings },
		secrets: toShown(secretNames.mobile_money, credentials[0]),
	};
}

async function showCard({ db, now, settings: urls }: Treasury) {
	const profile = await getCardProfile(db);
	const credentials = await listCredentials(db, { tenantId: undefined, profileId: profile.id, now: now() });
	return {
		...toProfileWire(profile, credentials),
		...{ settings: profile.settings, secrets: toShown(secretNames.card_gateway, credentials[0]) },
		...{ webhook_url: cardWebhookUrl(urls), callback_url: cardCallbackUrl(urls) },
	};
}

/** A gateway with its formats. */
type Gateway = {
	kind: GatewayKind;
	/** In paths, and in words. */
	name: string;
	Wire: TSchema;
	Body: TSchema;
	RotateBody: TSchema;
	show: (treasury: Treasury) => Promise<object>;
};

type Change = Static<typeof MobileMoneyProfileBody> | Static<typeof CardProfileBody>;

/** The body in the words of the store; absent members are left out. */
const changeOf = ({ environment, base_url: baseUrl, settings, ...body }: Change): ProfileChange => ({
	...(environment !== undefined && { environment }),
	...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, "") }),
	...("certificate" in body && body.certificate !== undefined && { certificate: body.certificate }),
	...(settings !== undefined && { settings }),
});

function routesOf(treasury: Treasury, gateway: Gateway): readonly Route[] {
	const { kind, name, Wire, Body, RotateBody, show } = gateway;
	const url = `/api/v1/platform/gateways/${name}`;
	const responses = { 200: Wire, ...refusals };
	return [
		route({
			...operator,
			method: "GET",
			url,
			schema: { summary: `Returns the profile: ${name}`, tags, response: responses },
			handler: () => show(treasury),
		}),
		route({
			...changes,
			method: "PUT",
			url,
			schema: {
				summary: `Changes the profile: ${name}`,
				description: "Absent members stay. New secrets replace those before at once.",
				tags,
				body: Body,
				response: { ...responses, 400: FailureBody },
			},
			handler: async (request) => {
				const { secrets, ...body } = request.body as Change;
				await configureProfile(changingOf(treasury, request), kind, { change: changeOf(body), secrets });
				return show(treasury);
			},
		}),
		route({
			...changes,
			method: "POST",
			url: `${url}/rotate`,
			schema: {
				summary: `Replaces secrets, and keeps those before for 72 hours: ${name}`,
				description: "The new ones are used for calls at once; those before verify webhooks until they end.",
				tags,
				body: RotateBody,
				response: { ...responses, 400: FailureBody },
			},
			handler: async (request) => {
				const { secrets } = request.body as { secrets: SecretChange };
				await rotateSecrets(changingOf(treasury, request), kind, secrets);
				return show(treasury);
			},
		}),
		route({
			...changes,
			method: "POST",
			url: `${url}/retire`,
			schema: {
				summary: `Ends secrets that were replaced: ${name}`,
				tags,
				body: RetireBody,
				response: { ...responses, 400: FailureBody, 404: FailureBody, 409: FailureBody },
			},
			handler: async (request) => {
				await retireSecrets(changingOf(treasury, request), kind, request.body.credential_id);
				return show(treasury);
			},
		}),
	];
}
