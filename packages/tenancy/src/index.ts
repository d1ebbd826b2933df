export { type Erasing, type ErasingOptions, startErasing } from "./erase-tenants.ts";
export { tenancyConsumers } from "./hear-tenants.ts";
export { type Mending, type MendingOptions, startMending } from "./mend-slugs.ts";
export { tenancyMigrations } from "./migrations.ts";
export type { YieldedRow } from "./repoint.store.ts";
export type { Repointed } from "./settle-slug.ts";
export { type SignOn, signOnAt } from "./sign-on.ts";
export { createTenancy, type Tenancy, type TenancyOptions } from "./tenancy.ts";
export { isSlug, isUuid, type Tenant, TenantDrifted, TenantUnavailable } from "./tenant.ts";
