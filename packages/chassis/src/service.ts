import type { Consumer, Transport } from "@lango/events";
import type { AnyJob } from "@lango/jobs";
import type { MigrationSet, Pool } from "@lango/postgres";
import type { Meter } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import type { RecordPlatformAction } from "./failed-work/failed-work.ts";
import type { OtherAddress } from "./http/other-addresses.ts";
import { serverSettings } from "./http/server-settings.ts";
import type { SharedCounts } from "./limits/shared-counts.ts";
import type { TenantSlots } from "./limits/tenant-slots.ts";
import type { Logger } from "./observe/observe.ts";
import { tracingSettings } from "./observe/tracing-settings.ts";
import type { FailureTable } from "./request/failure.ts";
import type { Pipeline, Route } from "./request/route.ts";
import { nodeEnv } from "./settings/development.ts";
import {
	defineSettings,
	integer,
	list,
	oneOf,
	type SettingsDefinition,
	type SettingsOf,
	type SettingsTable,
	text,
	url,
} from "./settings/settings.ts";

/** The parts from which a service builds its dependencies. */
export type Context<T extends SettingsTable = SettingsTable> = {
	settings: SettingsOf<T>;
	db: Pool;
	log: Logger;
	meter: Meter;
	transport: Transport;
	/** The shared counts of all processes (REDIS_URL); undefined: each process counts for itself. */
	sharedCounts: SharedCounts | undefined;
	/**
	 * Limits how many requests of one tenant are in progress; each pipeline takes a slot as soon as it knows
	 * the tenant.
	 */
	tenantSlots: TenantSlots;
	/** The current time; tests replace it. */
	now: () => Date;
	/** Adds a condition to `GET /readyz`: it rejects while the service cannot work. */
	readyWhen(name: string, check: () => Promise<void>): void;
	/**
	 * Registers a function that runs when the service stops, before its connections close; the last one runs
	 * first.
	 */
	onStop(stop: () => Promise<void>): void;
};

/** The declaration of a service, in `services/<name>/src/service.ts`. */
export type ServiceDefinition<T extends SettingsTable = SettingsTable, D = unknown> = {
	/** The product id, the name of the database, and the prefix of variables. */
	name: string;
	title: string;
	settings: SettingsDefinition<T>;
	/** The migrations of its tables, in the order of execution. */
	migrations: readonly MigrationSet[];
	failures: readonly FailureTable[];
	/**
	 * Request headers that its cross-origin policy allows (payments text §4.5), in addition to X-Tenant-ID,
	 * X-Outlet-ID and the headers that routes declare.
	 */
	corsHeaders: readonly string[];
	/**
	 * Creates the dependencies of the routes, and the rows that the database must have before the first
	 * request (idempotent).
	 */
	dependencies: (context: Context<T>) => Promise<D>;
	pipeline: (dependencies: D) => Pipeline;
	/** Whether its pipeline limits the rate of every route, for the OpenAPI document. */
	isRateLimited?: boolean;
	routes: ReadonlyArray<(dependencies: D) => readonly Route[]>;
	/** Further forms of the paths of its routes. */
	otherAddresses?: readonly OtherAddress[];
	consumes?: (dependencies: D) => readonly Consumer[];
	/** Jobs and schedules. A service with jobs has `jobMigrations` among its migrations. */
	jobs?: ReadonlyArray<AnyJob<D>>;
	/** Fastify plugins that its routes need (a parser of forms, cookies). */
	plugins?: (app: FastifyInstance) => Promise<void>;
	/**
	 * Origins that are allowed in addition to HTTP_ALLOWED_ORIGINS, checked at each cross-origin request.
	 */
	originAllowed?: (dependencies: D) => (origin: string) => Promise<boolean>;
	/**
	 * Features of the tenant's plan that its operations require, in addition to those that its routes
	 * declare.
	 */
	requiredFeatures?: readonly string[];
	/** Its permissions and roles, for the generated documentation. */
	access?: AccessDeclaration;
	/**
	 * Other services depend on some of its reads, which use `context.db.lane("priority")`: a fifth of its
	 * connections, at least one, is kept for them.
	 */
	hasPriorityReads?: boolean;
	/**
	 * Records decisions of the platform owner about failed events and jobs in the audit log, in the same
	 * transaction.
	 */
	recordPlatformAction?: RecordPlatformAction;
};

/** Permissions and roles of a domain service, as printed in docs/generated/access.md. */
type AccessDeclaration = {
	permissions: readonly string[];
	roles: Readonly<Record<string, readonly string[]>>;
};

/**
 * Declares a service. The types are checked here; code that only starts the service does not need them.
 */
export function defineService<T extends SettingsTable, D>(
	definition: ServiceDefinition<T, D>,
): ServiceDefinition {
	return Object.freeze(definition) as unknown as ServiceDefinition;
}

const busSettings = {
	natsUrl: text({
		env: "NATS_URL",
		optional: true,
		because:
			"the URL of the bus between processes, nats://host:4222 (several separated by commas); without it events stay in the process",
	}),
	natsReplicas: integer({
		env: "NATS_REPLICAS",
		default: 1,
		min: 1,
		max: 5,
		because: "the number of bus servers that store a copy of each event",
	}),
	natsStreamBytesMax: integer({
		env: "NATS_STREAM_BYTES_MAX",
		default: 536_870_912,
		min: 1_048_576,
		max: 2 ** 46,
		because:
			"the maximum size of each service's stream on disk, which is reserved; a full stream drops its oldest events",
	}),
};

/** The settings of every service, in addition to its own. */
function commonSettings(name: string, port: number) {
	return defineSettings(name.toUpperCase(), {
		port: integer({ default: port, max: 65_535, because: "the port that the service listens on" }),
		host: text({
			default: "localhost",
			because: "the address that the service listens on; 0.0.0.0 in a container",
		}),
		databaseUrl: text({
			because: "the database URL, with the role that owns no table and cannot bypass row-level security",
		}),
		directDatabaseUrl: text({
			optional: true,
			because:
				"the URL of the same database without a pooler in transaction mode, for jobs and notifications; the URL above when unset",
		}),
		databaseConnectionsMax: integer({
			default: 5,
			min: 1,
			max: 100,
			because:
				"the maximum number of database connections; one is reserved for /readyz and, in the subscription service, a fifth (at least one) for snapshots",
		}),
		tenantRequestsMax: integer({
			default: 64,
			min: 1,
			max: 10_000,
			because:
				"the maximum number of requests of one tenant in progress in one process; further ones are refused with 429 tenant_busy",
		}),
		logLevel: oneOf(["trace", "debug", "info", "warn", "error", "silent"], {
			env: "LOG_LEVEL",
			default: "info",
			because: "the lowest severity of the lines that are logged",
		}),
		...busSettings,
		redisUrl: text({
			env: "REDIS_URL",
			optional: true,
			because:
				"the URL of shared counters of limits, redis://host:6379 (Redis or Valkey); without it each process counts separately",
		}),
		stopNoticeMs: integer({
			env: "LANGO_STOP_NOTICE_MS",
			default: 2_000,
			max: 60_000,
			because:
				"how long a process serves requests after SIGTERM while /readyz is 503, in milliseconds: longer than the load balancer takes to notice",
		}),
		trustedProxies: list({
			env: "LANGO_TRUSTED_PROXIES",
			default: [],
			because: "addresses (CIDR) whose X-Forwarded-For is trusted; none when empty",
		}),
		allowedOrigins: list({
			env: "HTTP_ALLOWED_ORIGINS",
			default: [
				"http://localhost:3000",
				"http://localhost:3001",
				"http://localhost:3002",
				"http://127.0.0.1:3000",
				"http://127.0.0.1:3001",
				// The registered front ends (clients of the sign-on service) on a developer's machine.
				...[3010, 3011, 3012, 3013, 3014, 3015, 3016, 3017, 3018].map((port) => `http://localhost:${port}`),
			],
			because:
				"origins of front ends that may call from a browser (payments text §4.5, and those of the registered clients)",
		}),
		...serverSettings,
		...tracingSettings,
	});
}

/** Settings that services share to find each other. A service adds those that it needs to its own table. */
export const platformSettings = {
	nodeEnv,
	authUrl: url({
		env: "AUTH_URL",
		default: "http://localhost:4000",
		because: "the sign-on service, which is also the issuer of tokens",
	}),
	authInternalUrl: url({
		env: "AUTH_INTERNAL_URL",
		optional: true,
		because:
			"the URL of the sign-on service for other services, if AUTH_URL is only reachable from outside; AUTH_URL when unset",
	}),
	jwksUrl: url({
		env: "AUTH_JWKS_URL",
		optional: true,
		because: "the URL of the issuer's keys; below AUTH_INTERNAL_URL or AUTH_URL when unset",
	}),
	audience: text({ env: "LANGO_AUDIENCE", default: "lango", because: "the audience of access tokens" }),
	platformOwnerSlug: text({
		env: "LANGO_PLATFORM_OWNER_SLUG",
		default: "lango",
		because: "the slug of the platform owner's tenant",
	}),
};

const defaultPorts: Readonly<Record<string, number>> = {
	auth: 4000,
	subscriptions: 4001,
	notifications: 4002,
	treasury: 4003,
	hospital: 4004,
	pos: 4005,
	ordering: 4006,
	inventory: 4007,
	logistics: 4008,
	marketflow: 4009,
	projects: 4010,
};

/** All settings of a service: the common ones and its own. */
export function settingsOf(service: ServiceDefinition): SettingsDefinition {
	const common = commonSettings(service.name, defaultPorts[service.name] ?? 0);
	return { prefix: common.prefix, table: { ...common.table, ...service.settings.table } };
}
