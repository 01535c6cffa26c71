/** A Deployment whose readiness probe names a port that nobody declares, unless another port is given. */
export const deploymentWithTypo = (name: string, port = 'htpp', more = ''): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: apps }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: app
          image: example.test/app:1
          ports: [{ name: http, containerPort: 8080 }]
          readinessProbe: { httpGet: { path: /, port: ${port} }${more} }
`;
