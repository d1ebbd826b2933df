export { startTestIssuer, type TestIssuer, testTenant } from "./issuer.ts";
export { compareSchemas, createTestDatabase, type TestDatabase, type TestDatabaseOptions } from "./database.ts";
