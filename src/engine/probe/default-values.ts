/*
 * Values that the API server fills in where an object says nothing.
 */

/**
 * A probe's integers, in seconds and counts (pkg/apis/core/v1/defaults.go, SetDefaults_Probe). initialDelaySeconds has
 * no default: absent is 0.
 */
export const DEFAULT_TIMING = {
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  failureThreshold: 3,
  successThreshold: 1,
} as const;

/** A Pod's terminationGracePeriodSeconds (pkg/apis/core/v1/defaults.go, SetDefaults_PodSpec). */
export const DEFAULT_POD_GRACE_SECONDS = 30;

/** A Pod's restartPolicy (pkg/apis/core/v1/defaults.go, SetDefaults_PodSpec). */
export const DEFAULT_RESTART_POLICY = 'Always';

/** The scheme of an httpGet handler (pkg/apis/core/v1/defaults.go, SetDefaults_HTTPGetAction). */
export const DEFAULT_SCHEME = 'HTTP';

/** The path of an httpGet handler (pkg/apis/core/v1/defaults.go, SetDefaults_HTTPGetAction). */
export const DEFAULT_HTTP_PATH = '/';

/** The protocol of an httpGet handler that names none (core/v1 types.go, HTTPGetAction, since Kubernetes 1.37). */
export const DEFAULT_HTTP_PROTOCOL = 'HTTP1';

/** How a grpc handler without a mode connects (core/v1 types.go, GRPCAction, since Kubernetes 1.37). */
export const DEFAULT_GRPC_MODE = 'Plaintext';

/** The service of a grpc handler (core/v1 types.go, GRPCAction: `+default=""`). */
export const DEFAULT_GRPC_SERVICE = '';

/** The protocol of a container port (pkg/apis/core/v1/zz_generated.defaults.go, SetObjectDefaults_Pod). */
export const DEFAULT_PROTOCOL = 'TCP';

/** A Deployment's progressDeadlineSeconds (pkg/apis/apps/v1/defaults.go, SetDefaults_Deployment). */
export const DEFAULT_PROGRESS_DEADLINE_SECONDS = 600;
