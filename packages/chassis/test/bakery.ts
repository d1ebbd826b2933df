import { inProcessTransport, type Transport } from "@lango/events";
import {
	createTestDatabase,
	startTestIssuer,
	startTestSubscriptions,
	type TestIssuer,
	type TestSubscriptions,
	testTenant,
} from "@lango/testkit";
import Type from "typebox";
import {
	type Access,
	type BuiltService,
	both,
	buildService,
	callOf,
	canonical,
	defineDomainService,
	type Environment,
	everyone,
	open,
	outletsOf,
	ownerOf,
	permit,
	type Route,
	type RouteRules,
	route,
	type ServiceDefinition,
	signedIn,
	tenantOf,
	tenantWide,
} from "../src/index.ts";

/** A route that responds with what the pipeline has set on the call. */
export const probe = (
	url: string,
	access: Access,
	rules: Omit<RouteRules, "access"> & { method?: "GET" | "POST" } = {},
): Route =>
	route({
		method: "GET",
		...rules,
		url,
		access,
		schema: { response: { 200: Type.Unknown() } },
		handler: async (request) => {
			const { user, caller, outletId } = callOf(request);
			const outlets = outletsOf(request);
			const tenant = callOf(request).tenant === undefined ? undefined : tenantOf(request).slug;
			const owner = ownerOf(request)?.userId;
			return {
				tenant,
				outletId,
				...(caller !== undefined && { outlets }),
				serviceRole: user?.serviceRole,
				caller: caller?.kind,
				owner,
			};
		},
	});

const routes = (): readonly Route[] => [
	probe("/menu", open("guests read the menu")),
	probe("/loaves", permit("bakery.loaves.view")),
	probe("/loaves/own", permit("bakery.loaves.view_own")),
	probe("/loaves/any", permit("bakery.loaves.change", "bakery.loaves.view"), {
		outlets: tenantWide("counts the loaves of all outlets"),
	}),
	probe("/loaves", permit("bakery.loaves.change"), { method: "POST" }),
	probe("/usage", signedIn(), { method: "POST", subscription: { exempt: "counting must go on" } }),
	probe("/catalog", canonical("catalog:manage")),
	probe("/catalog/loaves", both("bakery.loaves.view", "catalog:manage")),
	probe("/product", signedIn(), { product: "hospital" }),
	probe("/feature", signedIn(), { feature: "loyalty_program" }),
	probe("/pharmacy", signedIn(), { useCase: ["pharmacy"] }),
	probe("/outlet", signedIn()),
];

type Changes = Partial<Parameters<typeof defineDomainService>[0]>;

/** A domain service with a route for each rule a route may have. */
export function defineBakery(changes: Changes = {}): ServiceDefinition {
	return defineDomainService({
		name: "bakery",
		title: "Bakery",
		base: "/api/v1/:tenant/bakery",
		port: 4555,
		permissions: { loaves: ["view", "view_own", "change"] },
		roles: { baker: ["bakery.*"], seller: ["bakery.*.view"], guest: [] },
		firstRole: [
			[["admin"], "baker"],
			[["staff"], "seller"],
			[everyone, "guest"],
		],
		routes: [routes],
		...changes,
	});
}

export type Bakery = BuiltService & {
	issuer: TestIssuer;
	subscriptions: TestSubscriptions;
	tenant: ReturnType<typeof testTenant>;
	token: TestIssuer["token"];
	transport: Transport;
	/** The database, as the owner of its tables. */
	ownerUrl: string;
	/** A second replica on the same database. */
	replica(): Promise<BuiltService>;
};

/** The bakery on a real database, with one tenant, `mkate`. */
export async function openBakery(
	service = defineBakery(),
	{ settings = {}, log = () => {} }: { settings?: Environment; log?: (line: string) => void } = {},
): Promise<Bakery> {
	const database = await createTestDatabase({ name: "bakery", sets: service.migrations });
	const [issuer, subscriptions] = [await startTestIssuer(), await startTestSubscriptions()];
	const transport = inProcessTransport();
	const tenant = testTenant("mkate");
	issuer.tenants.push(tenant);
	const close = async () => {
		await transport.close();
		await Promise.all([issuer.close(), subscriptions.close()]);
		await database.drop();
	};
	const environment = {
		BAKERY_DATABASE_URL: database.url,
		AUTH_URL: issuer.url,
		SUBSCRIPTIONS_URL: subscriptions.url,
		BAKERY_SNAPSHOT_READ_KEY: subscriptions.apiKey,
		BAKERY_USAGE_REPORT_KEY: subscriptions.apiKey,
		...settings,
	};
	try {
		const build = (carrier: Transport) =>
			buildService(service, { environment, transport: carrier, logTo: { write: log } });
		const built = await build(transport);
		// Of two processes of a service one takes an event over; both receive it.
		const beside = { ...transport, subscribe: async () => ({ stop: async () => undefined }) };
		return {
			...built,
			replica: () => build(beside),
			issuer,
			subscriptions,
			tenant,
			transport,
			ownerUrl: database.ownerUrl,
			token: (claims, options) =>
				issuer.token(
					{ tenant_id: tenant.id, tenant_slug: tenant.slug, email: "a@mkate.example", ...claims },
					options,
				),
			close: async () => {
				await built.close();
				await close();
			},
		};
	} catch (error) {
		await close();
		throw error;
	}
}
