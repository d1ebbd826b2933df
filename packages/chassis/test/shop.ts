import { EventEmitter, once } from "node:events";
import { Shape } from "@lango/contracts";
import { eventMigrations, inProcessTransport } from "@lango/events";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import Type from "typebox";
import {
	type BuiltService,
	buildService,
	defineFailures,
	defineService,
	defineSettings,
	failureTableOf,
	open,
	type Route,
	type RunningService,
	route,
	type ServiceDefinition,
	secret,
	startService,
} from "../src/index.ts";

const failures = defineFailures({ sold_out: ["conflict", "The last one is gone."] });

/** Lets a test hold a request until it says go. */
type Gate = { arrived: () => Promise<unknown>; open: () => void };

const letterRoute = route({
	method: "GET",
	url: "/letters/:token",
	access: open("the token is the proof"),
	secretPath: true,
	schema: {},
	handler: async () => ({ opened: true }),
});

const shopRoutes = (events: EventEmitter): readonly Route[] => [
	route({
		method: "POST",
		url: "/orders",
		access: open("anybody may try"),
		schema: {
			summary: "Orders a thing",
			body: Shape({
				name: Type.String({ minLength: 1 }),
				count: Type.Integer({ minimum: 1 }),
				address: Type.Optional(Shape({ street: Type.String() })),
			}),
			response: { 201: Type.Object({ name: Type.String(), count: Type.Integer() }) },
		},
		handler: async (request, reply) => reply.code(201).send(request.body),
	}),
	route({
		method: "GET",
		url: "/orders/:id",
		access: open("anybody may try"),
		schema: {
			params: Type.Object({ id: Type.Integer() }),
			querystring: Type.Object({ full: Type.Optional(Type.Boolean()) }),
			response: { 200: Type.Object({ id: Type.Integer(), full: Type.Boolean() }) },
		},
		handler: async (request) => ({ id: request.params.id, full: request.query.full ?? false }),
	}),
	letterRoute,
	route({
		method: "GET",
		url: "/bug",
		access: open("anybody may try"),
		schema: {},
		handler: async () => {
			throw new Error("the password of the database is hunter2");
		},
	}),
	route({
		method: "GET",
		url: "/sold-out",
		access: open("anybody may try"),
		schema: {},
		handler: async () => {
			throw failures.sold_out({ fields: { left: 0 }, headers: { "retry-after": "60" } });
		},
	}),
	route({
		method: "GET",
		url: "/slow",
		access: open("anybody may try"),
		schema: {},
		handler: async () => {
			events.emit("arrived");
			await once(events, "open");
			return { answered: true };
		},
	}),
	route({
		method: "GET",
		url: "/log",
		access: open("anybody may try"),
		schema: {},
		handler: async (request) => {
			const { authorization, cookie } = request.headers;
			request.log.info(
				{ headers: { authorization, cookie }, password: "hunter2", body: { client_secret: "hunter2" } },
				"logged",
			);
			return {};
		},
	}),
];

/** A small service without the domain layers: what the chassis gives every service. */
export function defineShop(
	events = new EventEmitter(),
	more: Partial<ServiceDefinition> = {},
): ServiceDefinition {
	const shop = defineService({
		name: "shop",
		title: "Shop",
		settings: defineSettings("SHOP", { signingSecret: secret({ because: "signs receipts" }) }),
		migrations: [eventMigrations],
		failures: [failureTableOf(failures)],
		corsHeaders: ["Accept", "Authorization", "Content-Type"],
		dependencies: async () => ({}),
		pipeline: () => [],
		routes: [() => shopRoutes(events)],
	});
	return { ...shop, ...more };
}

/** The shop on a real database, built or listening on a free port. */
export type Shop = {
	database: TestDatabase;
	built: BuiltService;
	logged: string[];
	start(): Promise<RunningService & Gate>;
	close(): Promise<void>;
};

export async function openShop(
	more: Partial<ServiceDefinition> = {},
	environmentToo: Record<string, string> = {},
): Promise<Shop> {
	const database = await createTestDatabase({ name: "shop", sets: [eventMigrations] });
	const transport = inProcessTransport();
	const logged: string[] = [];
	const environment = { ...environmentOf(database.url), ...environmentToo };
	const options = { environment, transport, logTo: { write: (line: string) => void logged.push(line) } };
	const built = await buildService(defineShop(new EventEmitter(), more), options);
	return {
		database,
		built,
		logged,
		async start() {
			const events = new EventEmitter();
			const running = await startService(defineShop(events), options);
			return { ...running, arrived: () => once(events, "arrived"), open: () => void events.emit("open") };
		},
		async close() {
			await built.close();
			await transport.close();
			await database.drop();
		},
	};
}

export const environmentOf = (databaseUrl: string) => ({
	SHOP_DATABASE_URL: databaseUrl,
	SHOP_PORT: "0",
	SHOP_HOST: "127.0.0.1",
	SHOP_SIGNING_SECRET: "hunter2",
	LANGO_STOP_NOTICE_MS: "700",
	HTTP_ALLOWED_ORIGINS: "http://localhost:3001, http://shop.example",
});
