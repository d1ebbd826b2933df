export { type KeyRing, openKeyRing, refreshEvery } from "./key-ring.ts";
export { removeKey, rotateKeys } from "./rotate-keys.ts";
export type { KeyPlan } from "./rotation.ts";
export { listKeyStates } from "./signing-key.store.ts";
