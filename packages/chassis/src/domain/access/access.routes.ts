import { apiKeyRoutes } from "./api-key.routes.ts";
import { auditRoutes } from "./audit.routes.ts";
import { permissionRoutes } from "./permission.routes.ts";
import { roleRoutes } from "./role.routes.ts";
import { userRoutes } from "./user.routes.ts";

/**
 * The administration of roles, API keys and audit in every service (spec §2.4), for the whole tenant.
 * Assignments are in `assignment.routes.ts`.
 */
export const accessRoutes = [roleRoutes, permissionRoutes, userRoutes, apiKeyRoutes, auditRoutes] as const;
