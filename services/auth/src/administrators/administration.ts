import { FailureBody, PageQuery, Uuid } from "@lango/contracts";
import Type from "typebox";

/** The addresses of tenant administration. */
export const BySlug = Type.Object({ slug: Type.String({ maxLength: 63 }) });
export const BySlugAndId = Type.Object({ ...BySlug.properties, id: Uuid });
export const BySlugAndUser = Type.Object({ ...BySlug.properties, user_id: Uuid });
export const ById = Type.Object({ id: Uuid });
export const ByUser = Type.Object({ user_id: Uuid });

export const Paged = Type.Object(PageQuery);
export const pageSizeDefault = 50;

/** What every route of administration may answer instead. */
export const refusals = { 401: FailureBody, 403: FailureBody, 404: FailureBody } as const;
