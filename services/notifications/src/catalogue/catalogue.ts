import type { TemplateSource } from "../rendering/compile-template.ts";
import { generalTemplates } from "./general.ts";
import { signOnTemplates } from "./sign-on.ts";

/** The templates of the platform, in English and Swahili, before they are compiled (§2.2). */
export const catalogue: readonly TemplateSource[] = [...generalTemplates, ...signOnTemplates];
