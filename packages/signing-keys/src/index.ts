export { type KeyRing, openKeyRing, refreshEvery } from "./key-ring.ts";
export { removeKey, rotateKeys } from "./rotate-keys.ts";
export { type KeyPlan, type KeyState, type KeyStep, nextChangeAt } from "./rotation.ts";
export { listKeyStates } from "./signing-key.store.ts";
