export { type Erasing, type ErasingOptions, startErasing } from "./erase-tenants.ts";
export { tenancyConsumers } from "./hear-tenants.ts";
export { tenancyMigrations } from "./migrations.ts";
export { type SignOn, signOnAt } from "./sign-on.ts";
export { createTenancy, type Tenancy, type TenancyOptions } from "./tenancy.ts";
export { ensureTenant } from "./tenant.store.ts";
export { isSlug, isUuid, type Tenant, TenantDrifted, TenantUnavailable } from "./tenant.ts";
