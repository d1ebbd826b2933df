import { runService } from "@lango/chassis";
import { projects } from "./service.ts";

await runService(projects);
