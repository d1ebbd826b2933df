import { accessConsumers, recordAudit } from "@lango/access";
import { type Product, products } from "@lango/contracts";
import { type Consumer, eventMigrations } from "@lango/events";
import { type AnyJob, jobMigrations } from "@lango/jobs";
import type { MigrationSet } from "@lango/postgres";
import { tenancyConsumers } from "@lango/tenancy";
import type { OtherAddress } from "../http/other-addresses.ts";
import type { OwnTokens } from "../request/authenticate.ts";
import { chassisFailures, failureTableOf } from "../request/failure.ts";
import { type Route, tenantWide, under } from "../request/route.ts";
import { defineService, type ServiceDefinition } from "../service.ts";
import { defineSettings, integer, type SettingsTable } from "../settings/settings.ts";
import { accessRoutes } from "./access/access.routes.ts";
import { assignmentRoutes } from "./access/assignment.routes.ts";
import { type AccessTable, requireGuards, resolveAccess } from "./assembly/declaration.ts";
import {
	assembleDomain,
	type Domain,
	domainMigrations,
	domainSettings,
	type PlatformKeyRule,
} from "./assembly/domain.ts";
import { domainFailures } from "./assembly/failures.ts";
import type { ConfigChecks } from "./config/change-config.ts";
import { configRoutes } from "./config/config.routes.ts";
import { meRoutes } from "./me.routes.ts";
import { domainPipeline } from "./pipeline.ts";
import { bindingToOutlets } from "./require-outlet.ts";
import { requiringOwner } from "./require-owner.ts";

/** The declaration of a domain service: name, permissions, roles and routes. */
export type DomainServiceTable<T extends SettingsTable, P extends object = object> = AccessTable & {
	/** The product id, and the prefix of permissions and variables, and the name of the database. */
	name: string;
	title: string;
	/**
	 * The base path of its routes. It contains `:tenant` where the tenant is named: `/api/v1/:tenant/hospital`.
	 */
	base: string;
	/** Further forms of paths that its routes are served under, where the specification names two. */
	otherAddresses?: readonly OtherAddress[];
	/**
	 * The product that contains this service in plans. Its own guarded routes require it; `auth/me` and the
	 * other common routes do not. `by route`: only routes that name a product require one. Required if the
	 * service is named like a product.
	 */
	product?: Product | "by route";
	/** The default port, for a service that is not part of the suite. */
	port?: number;
	/** Its own routes, with addresses relative to `base`. */
	routes: ReadonlyArray<(domain: Domain<T> & P) => readonly Route[]>;
	/** Its own routes with addresses outside of `base`. */
	routesOutsideBase?: ReadonlyArray<(domain: Domain<T> & P) => readonly Route[]>;
	/** Creates further dependencies of its routes and jobs, for services with state of their own. */
	prepare?: (domain: Domain<T>) => Promise<P>;
	/**
	 * A key in a setting of its own, declared by `platformKey`, for programs outside of the suite: it has these
	 * permissions, in every tenant that an address names, within the tenant's subscription.
	 */
	platformKey?: PlatformKeyRule;
	/** Tokens that it issues itself, accepted in addition to those of the sign-on service. */
	ownTokens?: (domain: Domain<T> & P) => OwnTokens;
	/** Further request headers that browsers may send to it. */
	corsHeaders?: readonly string[];
	/** A second path of `auth/me`, without a tenant in it: the tenant is the token's (spec §4.3). */
	meAt?: string;
	/** The name of the role in `auth/me`, if the specification has another one (§2.8). */
	roleField?: string;
	/**
	 * Tables with a `tenant_id` whose rows are kept when a tenant is deleted, with the reason. Rows of all
	 * other tables are erased. The audit log is always kept.
	 */
	keptOfDeleted?: Readonly<Record<string, string>>;
	/**
	 * Its consumers, in addition to those for tenants, outlets and people. A function if their effects need
	 * dependencies of the service.
	 */
	consumes?: readonly Consumer[] | ((domain: Domain<T> & P) => readonly Consumer[]);
	/** Its jobs and schedules; their tables are added. */
	jobs?: ReadonlyArray<AnyJob<Domain<T> & P>>;
	/** Its own tables, in addition to those of every domain service. */
	migrations?: readonly MigrationSet[];
	/** Its failures, from `defineFailures`. */
	failures?: readonly object[];
	/**
	 * The path where administrators list the settings, if the service has its own public `GET /config` (spec
	 * §4.3).
	 */
	configListedAt?: string;
	/** Checks of the values of settings that it reads, for `PUT /config`. */
	configChecks?: ConfigChecks;
	/** The features of plans that its operations require, besides those that its routes declare. */
	requiredFeatures?: readonly string[];
	settings?: T;
};

/**
 * Request headers that browsers may send to every domain service (payments text §4.5, "other backends").
 */
const commonHeaders = ["Accept", "Authorization", "Content-Type", "X-Tenant-Slug", "X-Tenant-ID"];

/**
 * Declares a domain service: it has the pipeline, `auth/me`, `config` and the tables that they need. Throws
 * an Error if the declaration is inconsistent. The service does not start if a route names an undeclared
 * permission, or if a declared permission guards no route.
 */
export function defineDomainService<
	const T extends SettingsTable = Record<never, never>,
	P extends object = object,
>(table: DomainServiceTable<T, P>): ServiceDefinition {
	const { name, title, port, consumes = [], jobs = [], prepare, ownTokens } = table;
	const { migrations = [], failures = [], settings, keptOfDeleted = {}, otherAddresses = [] } = table;
	if (isProduct(name) && table.product === undefined)
		throw new Error(`${name} is a product that plans sell: declare product: "${name}"`);
	const policy = resolveAccess(name, table);
	for (const code of table.platformKey?.permissions ?? [])
		if (!policy.permissions.some((one) => one.code === code))
			throw new Error(`the platform key of ${name} has "${code}", which is not declared`);
	const portSetting =
		port === undefined
			? {}
			: { port: integer({ default: port, max: 65_535, because: "the port that the service listens on" }) };
	const mount = (domain: Domain<T> & P): readonly Route[] => {
		const all = allRoutes(table, domain);
		requireGuards(all, policy);
		return all.map(requiringOwner).map(bindingToOutlets);
	};
	return defineService({
		name,
		title,
		settings: defineSettings(name.toUpperCase(), { ...domainSettings, ...portSetting, ...(settings as T) }),
		migrations: [
			eventMigrations,
			...(jobs.length > 0 ? [jobMigrations] : []),
			...domainMigrations,
			...migrations,
		],
		failures: [chassisFailures, domainFailures, ...failures].map(failureTableOf),
		corsHeaders: [...commonHeaders, ...(table.corsHeaders ?? [])],
		dependencies: async (context) => {
			const domain = await assembleDomain<T>(context, {
				...{ name, policy, keptOfDeleted },
				platformKey: table.platformKey,
			});
			return { ...domain, ...((await prepare?.(domain)) as P) };
		},
		pipeline: (domain) => domainPipeline(domain as Domain<T> & P & Domain, ownTokens?.(domain)),
		isRateLimited: true,
		routes: [mount],
		otherAddresses,
		consumes: (domain: Domain<T> & P) => [
			...tenancyConsumers(domain),
			...accessConsumers({ now: domain.now, firstRole: policy.firstRoleOf }),
			...(typeof consumes === "function" ? consumes(domain) : consumes),
		],
		jobs,
		...(table.requiredFeatures !== undefined && { requiredFeatures: table.requiredFeatures }),
		recordPlatformAction: (tx, action) => recordAudit(tx, { tenantId: undefined, ...action }),
		access: { permissions: policy.permissions.map(({ code }) => code), roles: policy.roles },
	});
}

const ofWholeTenant = tenantWide("people, roles, keys, settings and the audit log are the tenant's");

function allRoutes<T extends SettingsTable, P extends object>(
	{
		base,
		roleField = "service_role",
		meAt,
		configListedAt,
		configChecks,
		product,
		routes,
		routesOutsideBase = [],
	}: DomainServiceTable<T, P>,
	domain: Domain<T> & P,
): readonly Route[] {
	const settingRoutes = (of: Domain) =>
		configRoutes(of, {
			...(configListedAt !== undefined && { listedAt: configListedAt }),
			...(configChecks !== undefined && { checks: configChecks }),
		});
	const ofTenant = (groups: ReadonlyArray<(of: Domain) => readonly Route[]>) =>
		groups
			.flatMap((group) => group(domain as Domain<T> & P & Domain))
			.map((one) => ({ ...one, outlets: ofWholeTenant }));
	const common = ofTenant([meRoutes(roleField), ...accessRoutes, settingRoutes]);
	const mine = meAt === undefined ? [] : ofTenant([meRoutes(roleField, meAt)]);
	const own = (groups: typeof routes) => groups.flatMap((group) => group(domain)).map(soldAs(product));
	return [
		...under(base, [...common, ...assignmentRoutes(domain as Domain<T> & P & Domain), ...own(routes)]),
		...mine,
		...own(routesOutsideBase),
	];
}

const isProduct = (name: string) => (products as readonly string[]).includes(name);

/** A guarded route requires the product of its service, unless it names another one or says why not. */
const soldAs =
	(product: Product | "by route" | undefined) =>
	(route: Route): Route =>
		product === undefined ||
		product === "by route" ||
		route.access.kind === "open" ||
		route.withoutProduct !== undefined
			? route
			: { product, ...route };
