import { apiKeyRoutes } from "./api-key.routes.ts";
import { auditRoutes } from "./audit.routes.ts";
import { permissionRoutes } from "./permission.routes.ts";
import { roleRoutes } from "./role.routes.ts";
import { userRoutes } from "./user.routes.ts";

/**
 * What the administrators of a tenant do about who may do what in the service (spec §2.4), besides role assignments; every service
 * has these, for the whole tenant.
 */
export const accessRoutes = [roleRoutes, permissionRoutes, userRoutes, apiKeyRoutes, auditRoutes] as const;
