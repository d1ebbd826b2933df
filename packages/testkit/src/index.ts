export { besideOthers } from "./beside-others.ts";
export { hasBus, startTestBus, type TestBus } from "./bus.ts";
export { type CollectedSpan, startTestCollector, type TestCollector } from "./collector.ts";
export {
	compareSchemas,
	createTestDatabase,
	inspectTables,
	type TestDatabase,
	type TestDatabaseOptions,
	unboundByDesign,
} from "./database.ts";
export { insertDeadJob, insertDeadLetter } from "./dead.store.ts";
export { fillAccess } from "./fill-access.ts";
export { findFreePort, findFreePorts } from "./free-port.ts";
export { startTestIssuer, type TestClaims, type TestIssuer, testTenant } from "./issuer.ts";
export { callMatrix, type Matrix, type MatrixRoute, routesOfDocument } from "./matrix.ts";
export { migrateBefore } from "./migrate-before.ts";
export { callOutletMatrix, type OutletBlock, printOutlets } from "./outlet-matrix.ts";
export {
	type Caller,
	type PolicyOptions,
	printPolicy,
	type Sample,
	type Samples,
	type Scene,
	sceneOf,
	walkForeign,
} from "./policy.ts";
export {
	developmentOrigins,
	exposedHeaders,
	listExposedHeaders,
	listRefusedPreflights,
} from "./preflights.ts";
export { hasRedis, startTestRedis, type TestRedis } from "./redis.ts";
export { testServiceKeys } from "./service-keys.ts";
export { type Answer, addTenant, openStand, type Stand, type StandCall, type StandOptions } from "./stand.ts";
export {
	expiredSubscription,
	startTestSubscriptions,
	type TestSubscriptions,
	testSubscription,
} from "./subscriptions.ts";
export { countTenantRows, repointTenant } from "./tenant-rows.store.ts";
