export { startTestIssuer, type TestIssuer, testTenant } from "./issuer.ts";
