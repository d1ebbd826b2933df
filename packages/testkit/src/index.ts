export { besideOthers } from "./beside-others.ts";
export { waitForBlockedQueries } from "./blocked.store.ts";
export {
	createTestDatabase,
	createTestDatabasesBy,
	inspectTables,
	type TestDatabase,
	type TestDatabaseOptions,
	unboundByDesign,
} from "./database/database.ts";
export { insertDeadJob, insertDeadLetter } from "./database/dead.store.ts";
export { fillAccess } from "./database/fill-access.ts";
export { contains, findInDatabase, type Needle } from "./database/find-in-database.store.ts";
export { countTenantRows, repointTenant } from "./database/tenant-rows.store.ts";
export { callMatrix, type Matrix, type MatrixRoute, routesOfDocument } from "./policy/matrix.ts";
export { parseOutlets, printOutlets } from "./policy/outlet-matrix.ts";
export {
	type Caller,
	type PolicyOptions,
	printPolicy,
	type Sample,
	type Samples,
	type Scene,
	sceneOf,
	walkForeign,
} from "./policy/policy.ts";
export {
	developmentOrigins,
	exposedHeaders,
	listExposedHeaders,
	listRefusedPreflights,
} from "./policy/preflights.ts";
export {
	type Answer,
	addTenant,
	openStand,
	type Stand,
	type StandCall,
	type StandOptions,
} from "./policy/stand.ts";
export { walkTotals } from "./policy/totals.ts";
export { readPdf } from "./read-pdf.ts";
export { runTool } from "./run-tool.ts";
export { hasBus, startTestBus, type TestBus } from "./servers/bus.ts";
export { type CollectedSpan, startTestCollector, type TestCollector } from "./servers/collector.ts";
export { findFreePort, findFreePorts } from "./servers/free-port.ts";
export { startTestIssuer, type TestClaims, type TestIssuer, testTenant } from "./servers/issuer.ts";
export { hasRedis, startTestRedis, type TestRedis } from "./servers/redis.ts";
export { testServiceKeys } from "./servers/service-keys.ts";
export {
	expiredSubscription,
	startTestSubscriptions,
	type TestSubscriptions,
	testSubscription,
} from "./servers/subscriptions.ts";
export { testEvent } from "./test-event.ts";
